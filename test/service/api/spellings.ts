import fc from 'fast-check'
import type { DnsType } from '../../../src/service/model/rdata/types.ts'

const cased = (text: string) =>
  fc.constantFrom(
    text,
    text.toUpperCase(),
    text.replace(/[a-z]/, (c) => c.toUpperCase()),
  )
const dotted = (text: string) => fc.constantFrom(text, `${text}.`)
const hostLabel = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
const host = fc
  .array(hostLabel, { minLength: 1, maxLength: 4 })
  .map((labels) => [...labels, 'test'].join('.'))
const number = (most: number) => fc.nat(most)
const zeroes = (n: number, width: number): string => String(n).padStart(width, '0')

/** IPv6 in full, without leading zeroes, any run of zeroes as "::", in capitals, with IPv4 at the end. */
const ipv6 = fc
  .array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(0xffff)), { minLength: 7, maxLength: 7 })
  .map((rest) => [0x2001, ...rest])
const spellings = (groups: readonly number[]): readonly string[] => {
  const short = groups.map((group) => group.toString(16))
  const long = short.map((group) => group.padStart(4, '0'))
  const squeezed = [...groups.keys()].flatMap((from) =>
    [...groups.keys()].flatMap((to) => {
      if (to < from || groups.slice(from, to + 1).some((group) => group !== 0)) return []
      return [`${short.slice(0, from).join(':')}::${short.slice(to + 1).join(':')}`]
    }),
  )
  const [x = 0, y = 0] = groups.slice(6)
  const tail = [x >> 8, x & 255, y >> 8, y & 255].join('.')
  const all = [short.join(':'), long.join(':'), ...squeezed, `${short.slice(0, 6).join(':')}:${tail}`]
  return [...all, ...all.map((one) => one.toUpperCase())]
}

/** Octets as a quoted string, each in a random spelling. */
export const spelled = (octets: readonly number[], random: number): string => {
  const parts = octets.map((octet, n) => {
    const isPlain = octet >= 0x20 && octet < 0x7f && octet !== 0x22 && octet !== 0x5c
    const isDigit = octet >= 0x30 && octet <= 0x39
    const way = (random + n) % 3
    if (way === 0 || !(isPlain || octet === 0x22 || octet === 0x5c)) return `\\${zeroes(octet, 3)}`
    const char = String.fromCodePoint(octet)
    return (way === 1 || !isPlain) && !isDigit ? `\\${char}` : char
  })
  return `"${parts.join('')}"`
}
export const octets = (most: number) =>
  fc.array(fc.oneof(fc.nat(255), fc.constantFrom(0x20, 0x22, 0x5c, 0x30, 0x39, 0x61)), { maxLength: most })

export interface Pair {
  readonly one: string
  readonly other: string
}
const pair = (list: readonly string[]): fc.Arbitrary<Pair> =>
  fc.record({ one: fc.constantFrom(...list), other: fc.constantFrom(...list) })
const gap = fc.constantFrom(' ', '  ', '\t')
const named = host.chain((name) =>
  fc.record({ one: cased(name).chain(dotted), other: cased(name).chain(dotted) }),
)
const hex = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((list) => Buffer.from(list).toString('hex'))
const spaced = (digits: string, space: string): string => (digits.match(/.{1,9}/g) ?? []).join(space)
/** Without the characters that separate the protocols of a list. */
const protocol = fc.array(
  fc.nat(255).filter((octet) => octet !== 0x2c && octet !== 0x5c),
  {
    minLength: 1,
    maxLength: 20,
  },
)
const serviceBinding = fc
  .tuple(number(65_534), named, protocol, ipv6, octets(50), gap)
  .map(([n, name, id, groups, opaque, space]) => {
    const [short = '', ...others] = spellings(groups)
    const [priority, wire] = [n + 1, [n >> 8, n & 255].map((octet) => `\\${zeroes(octet, 3)}`).join('')]
    return {
      one: `${priority} ${name.one} port=${n} alpn=${spelled(id, 0)} ipv6hint=${short} key9=${spelled(opaque, 0)}`,
      other: [
        zeroes(priority, 5),
        name.other,
        `key9=${spelled(opaque, 1)}`,
        `ipv6hint=${others.at(-1)}`,
        `key1=${spelled([id.length, ...id], 2)}`,
        `key3=${wire}`,
      ].join(space),
    }
  })
/** The same value in two spellings. */
export const PAIRS: Readonly<Record<DnsType, fc.Arbitrary<Pair>>> = {
  A: fc.ipV4().map((one) => ({ one, other: one })),
  AAAA: ipv6.chain((groups) => pair(spellings(groups))),
  _URL: fc
    .record({ host: cased('web.test'), path: fc.webPath(), scheme: cased('https') })
    .map(({ host: name, path, scheme }) => ({
      one: `${scheme}://${name}${path === '' ? '' : path}`,
      other: `https://web.test:443${path === '' ? '/' : path}`,
    })),
  ALIAS: named.map(({ one, other }) => ({ one, other })),
  CNAME: named,
  NS: named,
  PTR: named,
  TXT: fc.oneof(
    fc
      .record({ list: fc.array(octets(255), { minLength: 1, maxLength: 4 }), x: fc.nat(2), y: fc.nat(2) })
      .map(({ list, x, y }) => ({
        one: list.map((string) => spelled(string, x)).join(' '),
        other: list.map((string) => spelled(string, y)).join(' \t'),
      })),
    // Without quotes: UTF-8, split after every 255 octets.
    fc
      .string({ minLength: 1, maxLength: 700, unit: 'grapheme' })
      .filter((text) => !text.trimStart().startsWith('"'))
      .map((one) => {
        const bytes = [...Buffer.from(one, 'utf8')]
        const cuts = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, n) =>
          spelled(bytes.slice(n * 255, n * 255 + 255), 0),
        )
        return { one, other: cuts.join(' ') }
      }),
  ),
  MX: fc.tuple(number(65_535), named, gap).map(([n, name, space]) => ({
    one: `${n}${space}${name.one}`,
    other: `${zeroes(n, 5)} ${name.other}`,
  })),
  SRV: fc.tuple(number(65_535), number(65_535), number(65_535), named, gap).map(([a, b, c, name, space]) => ({
    one: [a, b, c, name.one].join(space),
    other: [zeroes(a, 5), b, zeroes(c, 5), name.other].join(' '),
  })),
  CAA: fc
    .tuple(number(255), fc.constantFrom('issue', 'issuewild', 'iodef', 'x9'), octets(300), fc.nat(2))
    .map(([n, tag, text, random]) => ({
      one: `${n} ${tag} ${spelled(text, random)}`,
      other: `${zeroes(n, 3)}\t${tag.toUpperCase()} ${spelled(text, random + 1)}`,
    })),
  DS: fc
    .tuple(number(65_535), fc.constantFrom('8', 'RSASHA256'), hex(32), gap)
    .map(([n, name, digits, space]) => ({
      one: `${n} 8 2 ${digits}`,
      other: `${zeroes(n, 5)} ${name} 002${space}${spaced(digits, space).toUpperCase()}`,
    })),
  TLSA: fc.tuple(fc.constantFrom('3', 'DANE-EE', 'dane-ee'), hex(64), gap).map(([usage, digits, space]) => ({
    one: `3 1 2 ${digits.toUpperCase()}`,
    other: `${usage} SPKI SHA2-512${space}${spaced(digits, space)}`,
  })),
  SSHFP: fc.tuple(number(254), hex(20), gap).map(([n, digits, space]) => ({
    one: `${n + 1} 1 ${digits}`,
    other: `${zeroes(n + 1, 3)}${space}01 ${spaced(digits, space).toUpperCase()}`,
  })),
  HTTPS: serviceBinding,
  SVCB: serviceBinding,
  NAPTR: fc
    .tuple(number(65_535), fc.constantFrom('', 's', 'u'), octets(255), named, gap)
    .map(([n, flags, services, name, space]) => ({
      one: `${n} 1 "${flags}" ${spelled(services, 0)} "" ${name.one}`,
      other: `${zeroes(n, 5)} 001${space}"${flags.toUpperCase()}" ${spelled(services, 1)}${space}"" ${name.other}`,
    })),
  URI: fc.tuple(number(65_535), fc.webUrl(), gap).map(([n, url, space]) => ({
    one: `${n} 0 ${url}`,
    other: `${zeroes(n, 5)} 000${space}${spelled([...Buffer.from(url)], 0)}`,
  })),
  DHCID: fc.uint8Array({ minLength: 4, maxLength: 60 }).map((list) => {
    const text = Buffer.from(list).toString('base64')
    return { one: text, other: `${text.slice(0, 3)} \t${text.slice(3)}` }
  }),
  LOC: fc
    .tuple(number(89), number(59), number(59_999), number(9), number(9))
    .map(([degrees, minutes, seconds, digit, power]) => ({
      one: `${degrees} ${minutes} ${seconds / 1000} N 0 0 0 W -1m ${(digit * 10 ** power) / 100}m`,
      other: `0${degrees} ${zeroes(minutes, 2)} ${(seconds / 1000).toFixed(3)} n 0 e -1.00 ${((digit * 10 ** power) / 100).toFixed(2)} 10000 10m`,
    })),
}
