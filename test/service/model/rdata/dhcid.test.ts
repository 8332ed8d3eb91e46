import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

describe('DHCID is Base64 without white space', () => {
  accepts('DHCID', [
    // The examples of RFC 4701 §3.6.
    ['AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=', 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA='],
    [
      'AAEBOSD+XR3Os/0LozeX\tVqcNc7FwCfQdWL3b/NaiUDlW2No=',
      'AAEBOSD+XR3Os/0LozeXVqcNc7FwCfQdWL3b/NaiUDlW2No=',
    ],
  ])
  refuses(
    'DHCID',
    ['AAEB', 'AAEBOR==', 'AAEB-Q==', '"AAEBOQ=="', 'AAEBOQ'].map((text) => [
      text,
      `'${text}' is not Base64 of at least 4 octets`,
    ]),
  )
})
