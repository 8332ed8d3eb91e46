import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

describe('SRV is stored with its target in lower case', () =>
  accepts('SRV', [
    ['1 2 65535 A.example.test', '1 2 65535 a.example.test.'],
    ['0 0 0 .', '0 0 0 .'],
  ]))

describe('SRV is refused that', () =>
  refuses(
    'SRV',
    ['1 2 65536 a.test', '1 2 3', '1 2 3 a.test b', '1 x 3 a.test', '1 2 3 a..test'].map(
      (value) => [value, `'${value}' is not "PRIORITY WEIGHT PORT TARGET"`] as const,
    ),
  ))
