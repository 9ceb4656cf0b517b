# Writes the Parquet files of this folder, and rows.ndjson: their rows as FORMAT.md (Rows of Parquet) says, without the code in js/.
#
#   python3 -m venv venv && venv/bin/pip install pyarrow==26.0.1 && venv/bin/python make.py
#
# The files have the same rows. rewritten.parquet has another compression, other pages, row groups and encodings.

import base64, datetime as dt, decimal, json, math, os, random
import pyarrow as pa, pyarrow.parquet as pq
D=decimal.Decimal
HERE=os.path.dirname(os.path.abspath(__file__))
random.seed(7)
N=40
ri=random.randint
def maybe(f,p=.2): return None if random.random()<p else f()
def values(f): return [maybe(f) for _ in range(N)]
def ts(lo=-62135596800*10**6,hi=253402300799*10**6): return ri(lo,hi)
def rs(): return ''.join(random.choice('ab"\\\n\x01é€😀\u2028 /') for _ in range(ri(0,8)))
cols={
 'bool':pa.array(values(lambda:random.random()<.5),pa.bool_()),
 'i8':pa.array(values(lambda:ri(-128,127)),pa.int8()),
 'u8':pa.array(values(lambda:ri(0,255)),pa.uint8()),
 'i16':pa.array(values(lambda:ri(-2**15,2**15-1)),pa.int16()),
 'u16':pa.array(values(lambda:ri(0,2**16-1)),pa.uint16()),
 'i32':pa.array(values(lambda:ri(-2**31,2**31-1)),pa.int32()),
 'u32':pa.array(values(lambda:ri(0,2**32-1)),pa.uint32()),
 'i64':pa.array(values(lambda:random.choice([ri(-2**63,2**63-1),ri(-2**53,2**53),2**53,2**53-1,-2**53,1-2**53,0])),pa.int64()),
 'u64':pa.array(values(lambda:random.choice([ri(0,2**64-1),5])),pa.uint64()),
 'f16':pa.array(values(lambda:random.choice([1.5,0.0999755859375,-0.0,float('inf'),float('nan'),6e-8,65504.0])),pa.float16()),
 'f32':pa.array(values(lambda:random.choice([random.random(),0.1,float('nan'),float('-inf'),3e38,1e-40])),pa.float32()),
 'f64':pa.array(values(lambda:random.choice([random.random(),1e21,1e-7,-0.0,123456789012345680000.0,float('nan'),float('inf'),5e-324,1.0,100.0])),pa.float64()),
 'd9':pa.array(values(lambda:D(ri(-10**9+1,10**9-1)).scaleb(-2)),pa.decimal128(9,2)),
 'd18':pa.array(values(lambda:D(ri(-10**18+1,10**18-1)).scaleb(-18)),pa.decimal128(18,18)),
 'd38':pa.array(values(lambda:D(ri(-10**20,10**20)).scaleb(-5)),pa.decimal128(38,5)),
 'd76':pa.array(values(lambda:D(ri(-10**60,10**60))),pa.decimal256(76,0)),
 'date':pa.array(values(lambda:ri(-719162,2932896)),pa.int32()).cast(pa.date32()),
 't32':pa.array(values(lambda:ri(0,86399999)),pa.int32()).cast(pa.time32('ms')),
 't64us':pa.array(values(lambda:ri(0,86399999999)),pa.int64()).cast(pa.time64('us')),
 't64ns':pa.array(values(lambda:ri(0,86399999999999)),pa.int64()).cast(pa.time64('ns')),
 'ts_ms':pa.array(values(lambda:ri(-62135596800000,253402300799999)),pa.int64()).cast(pa.timestamp('ms')),
 'ts_us':pa.array(values(ts),pa.int64()).cast(pa.timestamp('us')),
 'ts_ns':pa.array(values(lambda:ri(-2**63+1,2**63-1)),pa.int64()).cast(pa.timestamp('ns')),
 'ts_utc':pa.array(values(lambda:random.choice([ts(),0,1500000,10**12])),pa.int64()).cast(pa.timestamp('us','UTC')),
 'text':pa.array(values(rs),pa.string()),
 'large':pa.array(values(rs),pa.large_string()),
 'dict':pa.array(values(lambda:random.choice(['north','south','ëast'])),pa.string()).dictionary_encode(),
 'bin':pa.array(values(lambda:random.randbytes(ri(0,9))),pa.binary()),
 'fix':pa.array(values(lambda:random.randbytes(7)),pa.binary(7)),
 'uuid':pa.array(values(lambda:random.randbytes(16)),pa.uuid()),
 'null':pa.nulls(N),
 'list':pa.array(values(lambda:[maybe(lambda:ri(0,9)) for _ in range(ri(0,3))]),pa.list_(pa.int64())),
 'lists':pa.array(values(lambda:[maybe(lambda:[maybe(rs) for _ in range(ri(0,3))]) for _ in range(ri(0,3))]),pa.list_(pa.list_(pa.string()))),
 'struct':pa.array(values(lambda:{'b':maybe(rs),'a':maybe(lambda:ri(-2**63,2**63-1)),'c':maybe(lambda:{'x':maybe(lambda:1.5)})}),pa.struct([('b',pa.string()),('a',pa.int64()),('c',pa.struct([('x',pa.float64())]))])),
 'structs':pa.array(values(lambda:[maybe(lambda:{'k':maybe(rs),'l':maybe(lambda:[maybe(lambda:ri(0,5)) for _ in range(ri(0,3))])}) for _ in range(ri(0,3))]),pa.list_(pa.struct([('k',pa.string()),('l',pa.list_(pa.int32()))]))),
 'map':pa.array(values(lambda:[(rs(),maybe(lambda:ri(0,9))) for _ in range(ri(0,3))]),pa.map_(pa.string(),pa.int64())),
 'mapmap':pa.array(values(lambda:[(ri(0,9),maybe(lambda:[(rs(),maybe(rs))])) for _ in range(ri(0,2))]),pa.map_(pa.int32(),pa.map_(pa.string(),pa.string()))),
 'été"':pa.array(values(rs)),
}
t=pa.table(cols)
req=pa.schema([pa.field('r_i64',pa.int64(),False),pa.field('r_s',pa.string(),False),pa.field('r_list',pa.list_(pa.field('element',pa.int32(),False)),False),pa.field('r_struct',pa.struct([pa.field('x',pa.int32(),False),pa.field('y',pa.string())]),False)])
rt=pa.table([pa.array([ri(-9,9) for _ in range(N)],pa.int64()),pa.array([rs() for _ in range(N)]),pa.array([[ri(0,9) for _ in range(ri(0,3))] for _ in range(N)],req.field(2).type),pa.array([{'x':ri(0,9),'y':maybe(rs)} for _ in range(N)],req.field(3).type)],schema=req)
for f in rt.schema: t=t.append_column(f,rt[f.name])
def stamp(v,per,digits,z):
    s,r=divmod(v,per)
    d=dt.datetime(1,1,1)+dt.timedelta(seconds=s+62135596800)
    f=('.'+str(r).zfill(digits)).rstrip('0') if r else ''
    return f'{d.year:04}-{d.month:02}-{d.day:02}T{d.hour:02}:{d.minute:02}:{d.second:02}'+f+z
U={'s':(1,0),'ms':(10**3,3),'us':(10**6,6),'ns':(10**9,9)}
def js(x):
    if math.isnan(x): return '"NaN"'
    if math.isinf(x): return '"Infinity"' if x>0 else '"-Infinity"'
    if x==0: return '0'
    sgn='-' if x<0 else ''
    m,_,e=repr(abs(x)).partition('e')
    i,_,fr=m.partition('.')
    digits=i+('' if fr=='0' else fr); n=len(i)+int(e or 0)
    n-=len(digits)-len(digits.lstrip('0')); digits=digits.lstrip('0').rstrip('0'); k=len(digits)
    if k<=n<=21: return sgn+digits+'0'*(n-k)
    if 0<n<=21: return sgn+digits[:n]+'.'+digits[n:]
    if -6<n<=0: return sgn+'0.'+'0'*-n+digits
    return sgn+digits[0]+('.'+digits[1:] if k>1 else '')+'e'+('+' if n>0 else '-')+str(abs(n-1))
def q(s): return json.dumps(s,ensure_ascii=False)
def text(v,T):
    if not v.is_valid: return 'null'
    if pa.types.is_dictionary(T): return q(v.as_py())
    if pa.types.is_boolean(T): return 'true' if v.as_py() else 'false'
    if pa.types.is_integer(T):
        n=v.as_py(); return str(n) if abs(n)<=2**53-1 else f'"{n}"'
    if pa.types.is_floating(T): return js(float(v.as_py()))
    if pa.types.is_decimal(T): return '"'+format(v.as_py(),'f')+'"'
    if pa.types.is_date(T): return '"'+v.as_py().isoformat()+'"'
    if pa.types.is_timestamp(T):
        p,d=U[T.unit]; return '"'+stamp(v.value,p,d,'Z' if T.tz else '')+'"'
    if pa.types.is_time(T):
        p,d=U[T.unit]; return '"'+stamp(v.value,p,d,'')[11:]+'"'
    if T==pa.uuid(): return '"'+str(v.as_py())+'"'
    if pa.types.is_string(T) or pa.types.is_large_string(T): return q(v.as_py())
    if pa.types.is_binary(T) or pa.types.is_fixed_size_binary(T): return '"'+base64.b64encode(v.as_py()).decode()+'"'
    if pa.types.is_map(T): return '['+','.join('['+text(e['key'],T.key_type)+','+text(e['value'],T.item_type)+']' for e in v.values)+']'
    if pa.types.is_list(T): return '['+','.join(text(e,T.value_type) for e in v.values)+']'
    if pa.types.is_struct(T): return '{'+','.join(q(n)+':'+text(v[n],T.field(n).type) for n in sorted(f.name for f in T))+'}'
    if pa.types.is_null(T): return 'null'
    raise Exception(T)
names=sorted(t.schema.names,key=lambda s:s.encode('utf-16-be'))
with open(os.path.join(HERE,'rows.ndjson'),'w',encoding='utf-8',newline='\n') as out:
    cs=[t[n].combine_chunks() for n in names]
    for i in range(N):
        out.write('{'+','.join(q(n)+':'+text(c[i],t.schema.field(n).type) for n,c in zip(names,cs))+'}\n')
def write(name,**how): pq.write_table(t,os.path.join(HERE,name+'.parquet'),**how)
write('types')
write('rewritten',compression='gzip',row_group_size=23,data_page_version='2.0',data_page_size=100,write_batch_size=7,dictionary_pagesize_limit=200)
write('zstd',compression='zstd',use_dictionary=False,column_encoding={'text':'DELTA_BYTE_ARRAY','i64':'DELTA_BINARY_PACKED','bin':'DELTA_LENGTH_BYTE_ARRAY','f64':'BYTE_STREAM_SPLIT'})
write('brotli',compression='brotli',row_group_size=9,use_dictionary=False,column_encoding={'text':'DELTA_BYTE_ARRAY','i64':'DELTA_BINARY_PACKED','bin':'DELTA_LENGTH_BYTE_ARRAY','f64':'BYTE_STREAM_SPLIT'})
