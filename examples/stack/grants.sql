-- The rights of each role, as in the guide, "Operate a store". They can be given again, and each `up` does.
grant usage on schema alvarium
  to alvarium_ingester, alvarium_reader, alvarium_pruner;
grant select on all tables in schema alvarium
  to alvarium_ingester, alvarium_reader, alvarium_pruner;
grant insert on all tables in schema alvarium to alvarium_ingester;
revoke insert on alvarium.version, alvarium.pruning, alvarium.pruned
  from alvarium_ingester;
grant update on alvarium.head, alvarium.tile, alvarium.checkpoint
  to alvarium_ingester;
grant update (text) on alvarium.datum to alvarium_ingester;
grant update (message, digest) on alvarium.beside to alvarium_ingester;
grant delete on alvarium.quarantine to alvarium_ingester;
grant delete
  on alvarium.bundle, alvarium.edge, alvarium.evidence, alvarium.quarantine
  to alvarium_pruner;
grant insert on alvarium.leaf, alvarium.pruning, alvarium.pruned
  to alvarium_pruner;
grant update on alvarium.head, alvarium.datum to alvarium_pruner;
grant insert on alvarium.evidence to alvarium_pruner;
grant update (evidence, place) on alvarium.bundle to alvarium_pruner;
alter default privileges in schema alvarium grant select on tables
  to alvarium_ingester, alvarium_reader, alvarium_pruner;
alter default privileges in schema alvarium grant insert on tables
  to alvarium_ingester;
