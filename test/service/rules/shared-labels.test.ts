import { domainToASCII } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sharedLabelFault } from '../../../src/service/rules/creation.ts'

const RESERVED = ['www', 'wpad']
const faultOf = (name: string) => {
  const fault = sharedLabelFault(name, RESERVED)
  if (fault !== undefined) expect(fault.refused).toBe('nameInvalid')
  return fault?.detail
}

/** Letters that look like those of Latin, in each of them one that is of another script. */
const LOOKALIKES: readonly (readonly [latin: string, other: string])[] = [
  ['a', 'а'],
  ['e', 'е'],
  ['o', 'о'],
  ['p', 'р'],
  ['c', 'с'],
  ['x', 'х'],
  ['y', 'у'],
  ['o', 'ο'],
  ['v', 'ν'],
  ['i', 'ι'],
  ['o', 'օ'],
  ['h', 'һ'],
]
const BRANDS = [
  'paypal',
  'apple',
  'google',
  'microsoft',
  'netflix',
  'facebook',
  'amazon',
  'outlook',
  'icloud',
  'yahoo',
  'dropbox',
  'office',
]

describe('in a shared zone', () => {
  it('no label mixes scripts, at any place of any name', () => {
    const mixed = BRANDS.flatMap((brand) =>
      brand
        .split('')
        .flatMap((letter, at) =>
          LOOKALIKES.filter(([latin]) => latin === letter).map(
            ([, other]) => `${brand.slice(0, at)}${other}${brand.slice(at + 1)}`,
          ),
        ),
    )
    expect(mixed.length).toBeGreaterThanOrEqual(50)
    for (const text of mixed) {
      const label = domainToASCII(text)
      expect(label).toMatch(/^xn--/)
      expect([text, faultOf(label)]).toEqual([text, `${label} has letters of several scripts: ${text}`])
      expect(faultOf(`${label}.home`)).toBeDefined()
    }
  })

  it.each([
    'münchen',
    'straße',
    'москва',
    'αθήνα',
    '日本',
    'ひらがなカタカナ漢字',
    'abcひ漢',
    '서울',
    'a漢서울',
    'ไทย',
    'עברית',
    'हिन्दी',
    'москва-2',
    '漢ㄅ',
  ])('names of one language are good: %s', (text) => {
    const label = domainToASCII(text)
    expect(label).toMatch(/^xn--/)
    expect(faultOf(label)).toBeUndefined()
  })

  it.each(['xn--a', 'xn--', 'xn--0', 'xn--zz--', 'xn--ls8h', 'xn--n3h'])(
    '%s is no name: what is not Punycode, and symbols',
    (label) => expect(faultOf(label)).toBe(`${label} is no name in the letters of a language (RFC 5891)`),
  )

  it.each([
    ['www', 'www is reserved for the owner of the zone'],
    ['_x.www', 'www is reserved for the owner of the zone'],
    ['a.wpad', 'wpad is reserved for the owner of the zone'],
    ['www.a', undefined],
    ['www2', 'www2 is reserved for the owner of the zone'],
    ['www2a', undefined],
    ['w2ww', undefined],
    ['@', undefined],
    ['*', undefined],
    ['_x', undefined],
  ])('%s', (name, fault) => expect(faultOf(name)).toBe(fault))
})
