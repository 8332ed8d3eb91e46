import { expect, it } from 'vitest'
import { formBody, jsonBody } from '../../../../src/client/services/protocols/bodies.ts'
import { documentIn } from '../../../../src/client/services/protocols/json.ts'
import { ownZone } from '../../../../src/client/services/protocols/records.ts'
import { Secret } from '../../../../src/shared/base/secret.ts'

it.each([
  ['{"a":1}', { a: 1 }],
  ['\uFEFF{"a":1}', { a: 1 }],
  ['{"a":', undefined],
])('the document of %j', (text, document) => expect(documentIn(text)).toEqual(document))

it.each([
  ['example.test', 'home.example.test', 'example.test'],
  ['example.test', 'example.test', 'example.test'],
  ['example.test', 'home.other.test', undefined],
  ['example.test', 'homeexample.test', undefined],
  [undefined, 'home.example.test', undefined],
])('zone %s of %s', (zone, hostname, own) => expect(ownZone({ zone }, hostname)).toBe(own))

const secret = new Secret('a"b&c')

it('a body has its secrets where they belong, and shows none', () => {
  const document = jsonBody({ key: secret, list: [1, true, null, 'x'], left: undefined })
  expect(document.reveal()).toBe('{"key":"a\\"b&c","list":[1,true,null,"x"]}')
  expect(String(document)).toBe('{"key":«secret»,"list":[1,true,null,"x"]}')
  const form = formBody({ key: secret, name: 'a b', ttl: 60 })
  expect(form.reveal()).toBe('key=a%22b%26c&name=a%20b&ttl=60')
  expect(String(form)).toBe('key=«secret»&name=a%20b&ttl=60')
})
