import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

describe('a name is stored whole, in lower case, with a dot at its end', () => {
  accepts('CNAME', [['_Dmarc.Example.test', '_dmarc.example.test.']])
  accepts('NS', [['NS.example.test.', 'ns.example.test.']])
  accepts('PTR', [['host.example.test', 'host.example.test.']])
  accepts('ALIAS', [['cdn.example.test', 'cdn.example.test.']])
})

describe('a name is refused that', () => {
  refuses('CNAME', [['a..test', "'a..test' is not a domain name"]], 'cnameInvalid')
  refuses('NS', [['_ns.example.test', "'_ns.example.test' is not a domain name"]], 'nsInvalid')
  refuses('PTR', [['192.0.2.1/24', "'192.0.2.1/24' is not a domain name"]], 'ptrInvalid')
  refuses('ALIAS', [['a b.test', "'a b.test' is not a domain name"]], 'aliasInvalid')
})
