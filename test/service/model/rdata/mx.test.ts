import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

describe('MX is stored with its host in lower case', () =>
  accepts('MX', [
    ['010 Mail.example.test', '10 mail.example.test.'],
    ['0 .', '0 .'],
    ['65535\ta.test.', '65535 a.test.'],
  ]))

describe('MX is refused that', () =>
  refuses(
    'MX',
    ['65536 a.test', '10', '10 a.test b', '10 .', '-1 a.test', '10 _a.test'].map(
      (value) => [value, `'${value}' is not "PREFERENCE HOST"`] as const,
    ),
  ))
