import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

// One octet of the value per character: 4 + 59,991 octets for the parameter, and 5 for priority and target.
const longest = 'x'.repeat(59_991)

describe('SVCB has one form', () =>
  accepts('SVCB', [
    // RFC 9460 appendix D.
    ['0 foo.example.com.', '0 foo.example.com.'],
    ['1 .', '1 .'],
    ['16 foo.example.com. port=53', '16 foo.example.com. port=53'],
    ['1 foo.example.com. key667=hello', '1 foo.example.com. key667="hello"'],
    ['1 foo.example.com. key667="hello\\210qoo"', '1 foo.example.com. key667="hello\\210qoo"'],
    [
      '1 foo.example.com. (ipv6hint="2001:db8::1,2001:db8::53:1")'.replace(/[()]/g, ''),
      '1 foo.example.com. ipv6hint=2001:db8::1,2001:db8::53:1',
    ],
    [
      '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
      '16 foo.example.org. mandatory=alpn,ipv4hint alpn="h2,h3-19" ipv4hint=192.0.2.1',
    ],
    [
      '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
      '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
    ],
    [
      '16 foo.example.org. alpn=f\\\\\\092oo\\092,bar,h2',
      '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
    ],
    // Spellings.
    ['00001\tFOO.Example.com  port=00443 ', '1 foo.example.com. port=443'],
    ['1 _a.b.test. key3=\\001\\187 key1="\\002h2" key2', '1 _a.b.test. alpn="h2" no-default-alpn port=443'],
    ['1 . no-default-alpn="" alpn=h2', '1 . alpn="h2" no-default-alpn'],
    ['1 . key0=\\000\\001\\000\\003 port=1 alpn=h2', '1 . mandatory=alpn,port alpn="h2" port=1'],
    ['1 . mandatory=key65534,key3 key65534 port=1', '1 . mandatory=port,key65534 port=1 key65534'],
    ['1 . ipv6hint=2001:DB8:0::1,::1', '1 . ipv6hint=2001:db8::1,::1'],
    ['1 . key4=\\192\\000\\002\\001', '1 . ipv4hint=192.0.2.1'],
    [
      '1 . key6="\\032\\001\\013\\184\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001"',
      '1 . ipv6hint=2001:db8::1',
    ],
    ['1 . ech="AEX+DQ=="', '1 . ech=AEX+DQ=='],
    ['1 . key5=\\000\\069', '1 . ech=AEU='],
    ['1 . dohpath=/dns-query{?dns}', '1 . dohpath="/dns-query{?dns}"'],
    ['1 . key7="/q{?a,dns}"', '1 . dohpath="/q{?a,dns}"'],
    ['1 . dohpath=/é{?dns}', '1 . dohpath="/\\195\\169{?dns}"'],
    ['1 . key9=\\"\\;\\032x key10="; ( )" key8=', '1 . key8 key9="\\"; x" key10="; ( )"'],
    ['1 . key9=a=b', '1 . key9="a=b"'],
    ['1 . port=0', '1 . port=0'],
    ['65535 . port=65535', '65535 . port=65535'],
    [`1 a. key9=${longest}`, `1 a. key9="${longest}"`],
    [`1 . key9=${longest}xx`, `1 . key9="${longest}xx"`],
  ]))

describe('HTTPS has the form of SVCB', () =>
  accepts('HTTPS', [
    ['1 . alpn=h3,h2', '1 . alpn="h3,h2"'],
    ['0 Pool.example.com', '0 pool.example.com.'],
  ]))

const KEYS = 'a list of other keys of the record, each once, such as alpn,port'
const PROTOCOLS = 'a list of protocols of 1 to 255 octets, such as h2,h3'
const PORT = 'a whole number from 0 to 65535'
const form = (text: string): string => `'${text}' is not KEY, KEY=VALUE or KEY="VALUE"`
const key = (text: string): string =>
  `'${text}' is not a known key in lower case, and not key0 to key65534 without leading zeros`
const base64 = (text: string): string => `ech: '${text}' is not Base64 with padding (RFC 4648 §4)`
const path = (text: string): string =>
  `dohpath: '${text}' is not a path with the variable dns, such as /dns-query{?dns}`

describe('SVCB is refused', () =>
  refuses('SVCB', [
    ['1', `'1' is not "PRIORITY TARGET [KEY[=VALUE] …]"`],
    ['65536 .', "the priority '65536' is not a whole number from 0 to 65535"],
    ['1 a..b', `the target 'a..b' is neither a domain name nor "."`],
    ['1 192.0.2.1', `the target '192.0.2.1' is neither a domain name nor "."`],
    ['0 . port=1', 'a record with priority 0 is in AliasMode and has no parameters (RFC 9460 §2.4.2)'],
    ['1 . port=1 port=2', 'port is there twice (RFC 9460 §2.2)'],
    ['1 . key3=\\000\\001 port=1', 'port is there twice (RFC 9460 §2.2)'],
    ['1 . key9 key9', 'key9 is there twice (RFC 9460 §2.2)'],
    ['1 . no-default-alpn', 'no-default-alpn needs alpn (RFC 9460 §7.1.1)'],
    ['1 . mandatory=port', 'mandatory lists port, which is missing (RFC 9460 §8)'],
    ['1 . mandatory=port,key9 port=1', 'mandatory lists key9, which is missing (RFC 9460 §8)'],
    ['1 . Port=1', key('Port')],
    ['1 . foo=1', key('foo')],
    ['1 . toString', key('toString')],
    ['1 . xkey9', key('xkey9')],
    ['1 . key09', key('key09')],
    ['1 . key65535', key('key65535')],
    ['1 . key9="a" "b"', form(' "b"')],
    ['1 . key9="a"b', form('key9="a"b')],
    ['1 . key9="a', form('key9="a')],
    ['1 . key9=a;b', form('key9=a;b')],
    ['1 . =a', form('=a')],
    ['1 . key9=\\256', 'key9: a \\DDD is above \\255'],
    ['1 . mandatory', `mandatory: '' is not ${KEYS}`],
    ['1 . key0', `key0: the value is not ${KEYS}`],
    ['1 . mandatory=foo', `mandatory: 'foo' is not ${KEYS}`],
    ['1 . mandatory=mandatory', `mandatory: the value is not ${KEYS}`],
    ['1 . mandatory=port,key3 port=1', `mandatory: the value is not ${KEYS}`],
    ['1 . key0=\\000\\003\\000\\001 port=1 alpn=h2', `key0: the value is not ${KEYS}`],
    ['1 . key0=\\000\\003\\000 port=1', `key0: the value is not ${KEYS}`],
    ['1 . key0=\\255\\255', `key0: the value is not ${KEYS}`],
    ['1 . alpn', `alpn: '' is not ${PROTOCOLS}`],
    ['1 . alpn=h2,,h3', `alpn: 'h2,,h3' is not ${PROTOCOLS}`],
    [`1 . alpn=${'x'.repeat(256)}`, `alpn: '${'x'.repeat(60)}' is not ${PROTOCOLS}`],
    ['1 . alpn=a\\\\b', `alpn: 'a\\b' contains "\\" before a character other than "," and "\\"`],
    ['1 . key1', `key1: the value is not ${PROTOCOLS}`],
    ['1 . key1=\\003h2', `key1: the value is not ${PROTOCOLS}`],
    ['1 . key1=\\000', `key1: the value is not ${PROTOCOLS}`],
    ['1 . alpn=h2 no-default-alpn=1', 'no-default-alpn: the key has no value'],
    ['1 . port', `port: '' is not ${PORT}`],
    ['1 . port=65536', `port: '65536' is not ${PORT}`],
    ['1 . port=443,444', `port: '443,444' is not ${PORT}`],
    ['1 . key3=1', `key3: the value is not ${PORT}`],
    ['1 . ipv4hint', "ipv4hint: '' is not an IPv4 address"],
    ['1 . ipv4hint=192.0.2.1,::1', "ipv4hint: '::1' is not an IPv4 address"],
    ['1 . ipv4hint=192.0.2.01', "ipv4hint: '192.0.2.01' is not an IPv4 address"],
    ['1 . key4=\\192\\000\\002', 'key4: the value is not a list of IPv4 addresses'],
    ['1 . ipv6hint=::ffff:192.0.2.1', "ipv6hint: '::ffff:192.0.2.1' is not an IPv6 address"],
    ['1 . key6', 'key6: the value is not a list of IPv6 addresses'],
    [
      `1 . key6=${'\\000'.repeat(10)}\\255\\255\\192\\000\\002\\001`,
      'key6: the value is not a list of IPv6 addresses',
    ],
    ['1 . ech', 'ech: the value is missing'],
    ['1 . ech=AEU', base64('AEU')],
    ['1 . ech=AEV=', base64('AEV=')],
    ['1 . ech=A-_=', base64('A-_=')],
    ['1 . dohpath', path('')],
    ['1 . dohpath=dns-query{?dns}', path('dns-query{?dns}')],
    ['1 . dohpath=/dns-query', path('/dns-query')],
    ['1 . dohpath=/dns-query{?dnsx}', path('/dns-query{?dnsx}')],
    ['1 . dohpath="/dns query{?dns}"', path('/dns query{?dns}')],
    ['1 . dohpath=/\\255{?dns}', path('/\u00ff{?dns}')],
    ['1 . dohpath=/dns{{?dns}', path('/dns{{?dns}')],
    ['1 . key9=a\0', 'the value contains U+0000; write the octet 0 as \\000'],
    ['1 . key9="\udfff"', 'the value contains half of a surrogate pair, which is not a character'],
    [`1 a. key9=${longest}x`, 'the record has 60001 octets; at most 60000 are allowed'],
  ]))
