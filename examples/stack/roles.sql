-- The roles of the guide, "Operate a store", for this machine only: in production, each has a password that nobody else knows.
create role alvarium_ingester login password 'ingester';
create role alvarium_reader login password 'reader';
-- Without a password, so nobody is let in as this role.
create role alvarium_pruner login;
