import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

describe('URI is stored with a quoted target', () =>
  accepts('URI', [
    ['10 1 "ftp://ftp1.example.com/public"', '10 1 "ftp://ftp1.example.com/public"'],
    ['010  1 https://a.test/%C3%A4', '10 1 "https://a.test/%C3%A4"'],
  ]))

describe('URI is refused that', () =>
  refuses('URI', [
    ['10 1', `'10 1' is not "PRIORITY WEIGHT "TARGET""`],
    ['10 1 "a:" "b:"', `'10 1 "a:" "b:"' is not "PRIORITY WEIGHT "TARGET""`],
    ['65536 1 "a:"', "the priority '65536' is not a whole number from 0 to 65535"],
    ['10 1 "no scheme"', `the target 'no scheme' is not a URI, such as "https://www.example.com/"`],
  ]))
