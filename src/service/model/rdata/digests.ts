import {
  fieldsIn,
  hexField,
  joinFields,
  notOfForm,
  type NumberField,
  numberField,
  type RdataParser,
  type RequiredLength,
  withinRecord,
} from './parse.ts'
import { type WireField, wireHex, wireOctet, wireUint16 } from './wire.ts'

/** A record of numbers of 8 or 16 bits and a digest, whose length the last number selects. */
interface DigestForm {
  readonly form: string
  readonly numbers: readonly NumberField[]
  readonly data: string
  /** By the last number. Other numbers of the registry are unassigned and have any length. */
  readonly lengths: Readonly<Record<string, RequiredLength>>
}

const byte = (name: string, min: number, mnemonics: Readonly<Record<string, number>> = {}): NumberField => ({
  name,
  min,
  max: 255,
  mnemonics,
})

/** RFC 4034 appendix A.1 and IANA's registry "DNS Security Algorithm Numbers". Zero is reserved. */
// biome-ignore format: a table
const ALGORITHMS = {
  RSAMD5: 1, DH: 2, DSA: 3, RSASHA1: 5, 'DSA-NSEC3-SHA1': 6, 'RSASHA1-NSEC3-SHA1': 7, RSASHA256: 8, RSASHA512: 10,
  'ECC-GOST': 12, ECDSAP256SHA256: 13, ECDSAP384SHA384: 14, ED25519: 15, ED448: 16, SM2SM3: 17, 'ECC-GOST12': 23,
  INDIRECT: 252, PRIVATEDNS: 253, PRIVATEOID: 254,
}

/** RFC 4034 §5.3; lengths by IANA's registry "DS RR Type Digest Algorithms". */
const DS: DigestForm = {
  form: 'KEY-TAG ALGORITHM DIGEST-TYPE DIGEST',
  numbers: [{ name: 'key tag', max: 65_535 }, byte('algorithm', 1, ALGORITHMS), byte('digest type', 1)],
  data: 'digest',
  lengths: {
    1: ['SHA-1', 20],
    2: ['SHA-256', 32],
    3: ['GOST R 34.11-94', 32],
    4: ['SHA-384', 48],
    5: ['GOST R 34.11-2012', 32],
    6: ['SM3', 32],
  },
}

/** RFC 6698 §2.2; the mnemonics are those of RFC 7218 §2. */
const TLSA: DigestForm = {
  form: 'CERTIFICATE-USAGE SELECTOR MATCHING-TYPE DATA',
  numbers: [
    byte('certificate usage', 0, { 'PKIX-TA': 0, 'PKIX-EE': 1, 'DANE-TA': 2, 'DANE-EE': 3, PRIVCERT: 255 }),
    byte('selector', 0, { CERT: 0, SPKI: 1, PRIVSEL: 255 }),
    byte('matching type', 0, { FULL: 0, 'SHA2-256': 1, 'SHA2-512': 2, PRIVMATCH: 255 }),
  ],
  data: 'certificate association data',
  lengths: { 1: ['SHA2-256', 32], 2: ['SHA2-512', 64] },
}

/** RFC 4255 §3.2; lengths by RFC 4255 §3.1.2 and RFC 6594 §4.1.2. Zero is reserved in both registries. */
const SSHFP: DigestForm = {
  form: 'ALGORITHM FINGERPRINT-TYPE FINGERPRINT',
  numbers: [byte('algorithm', 1), byte('fingerprint type', 1)],
  data: 'fingerprint',
  lengths: { 1: ['SHA-1', 20], 2: ['SHA-256', 32] },
}

const digestParser =
  ({ form, numbers, data, lengths }: DigestForm): RdataParser =>
  (value) => {
    const fields = fieldsIn(value)
    if (fields.length <= numbers.length) return notOfForm(value, form)
    const head = numbers.map((number, n) => numberField(number, fields[n]))
    const kind = head.at(-1)
    // RFC 4034 §5.3: white space is allowed within the hexadecimal text.
    const digits = fields.slice(numbers.length).join('')
    const rdata = joinFields([
      ...head,
      hexField(data, digits, kind?.ok === true ? lengths[kind.value] : undefined),
    ])
    const octets = numbers.reduce((sum, { max }) => sum + (max > 255 ? 2 : 1), digits.length / 2)
    return rdata.ok ? withinRecord(octets, rdata.value) : rdata
  }

const digestRdata = (form: DigestForm) => ({
  isTarget: false,
  parse: digestParser(form),
  wire: [...form.numbers.map(({ max }): WireField => (max > 255 ? wireUint16 : wireOctet)), wireHex],
})

export const [dsRdata, tlsaRdata, sshfpRdata] = [digestRdata(DS), digestRdata(TLSA), digestRdata(SSHFP)]
