import { expect, it } from 'vitest'
import { secretText } from '../../../src/shared/program/config-file.ts'

it.each([
  ['', ''],
  ['\n\n', ''],
  ['key', 'key'],
  ['key\n', 'key'],
  ['key\n\n', 'key'],
  ['key\r\n\r\n', 'key'],
  [' key \n', ' key '],
  ['key\n \n', 'key\n '],
  ['one\ntwo\n', 'one\ntwo'],
])('the secret of a file with %j is %j', (text, secret) => expect(secretText(text)).toBe(secret))
