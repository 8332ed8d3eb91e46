import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

const hex = (octets: number, digits = 'aB'): string => digits.repeat(octets)
const upper = (octets: number): string => hex(octets).toUpperCase()
const number = (what: string, text: string, min: number, max: number): string =>
  `the ${what} '${text}' is not a whole number from ${min} to ${max}`
const digits = (what: string, text: string): string =>
  `the ${what} '${text}' is not a sequence of pairs of hexadecimal digits`

describe('DS has one form', () =>
  accepts('DS', [
    [`60485 5 1 ${hex(20)}`, `60485 5 1 ${upper(20)}`],
    [`060485\t005  1 ${hex(10)} ${hex(9)}\tA b`, `60485 5 1 ${upper(20)}`],
    [`0 rsasha256 2 ${hex(32)}`, `0 8 2 ${upper(32)}`],
    [`65535 ECDSAP256SHA256 3 ${hex(32)}`, `65535 13 3 ${upper(32)}`],
    [`1 255 4 ${hex(48)}`, `1 255 4 ${upper(48)}`],
    [`1 ED25519 5 ${hex(32)}`, `1 15 5 ${upper(32)}`],
    [`1 16 6 ${hex(32)}`, `1 16 6 ${upper(32)}`],
    // Not assigned today, so of any length.
    ['1 8 7 00', '1 8 7 00'],
    ['1 8 255 0011', '1 8 255 0011'],
    [`1 8 7 ${hex(59_996)}`, `1 8 7 ${upper(59_996)}`],
  ]))

const DS_FORM = '"KEY-TAG ALGORITHM DIGEST-TYPE DIGEST"'
describe('DS is refused', () =>
  refuses('DS', [
    ['60485 5 1', `'60485 5 1' is not ${DS_FORM}`],
    [' ', `' ' is not ${DS_FORM}`],
    [`65536 5 1 ${hex(20)}`, number('key tag', '65536', 0, 65_535)],
    [`-1 5 1 ${hex(20)}`, number('key tag', '-1', 0, 65_535)],
    [`1 0 1 ${hex(20)}`, number('algorithm', '0', 1, 255)],
    [`1 256 1 ${hex(20)}`, number('algorithm', '256', 1, 255)],
    [`1 toString 1 ${hex(20)}`, number('algorithm', 'toString', 1, 255)],
    [`1 8 0 ${hex(20)}`, number('digest type', '0', 1, 255)],
    [`1 8 SHA-256 ${hex(32)}`, number('digest type', 'SHA-256', 1, 255)],
    [`1 8 1 ${hex(19)}`, 'the digest has 19 octets; SHA-1 has 20'],
    [`1 8 2 ${hex(20)}`, 'the digest has 20 octets; SHA-256 has 32'],
    [`1 8 3 ${hex(33)}`, 'the digest has 33 octets; GOST R 34.11-94 has 32'],
    [`1 8 4 ${hex(32)}`, 'the digest has 32 octets; SHA-384 has 48'],
    [`1 8 5 ${hex(64)}`, 'the digest has 64 octets; GOST R 34.11-2012 has 32'],
    [`1 8 6 ${hex(31)}`, 'the digest has 31 octets; SM3 has 32'],
    ['1 8 2 abc', digits('digest', 'abc')],
    ['1 8 2 0xab', digits('digest', '0xab')],
    ['1 8 2 a\0', digits('digest', 'a\0')],
    [`1 8 7 ${hex(59_997)}`, 'the record has 60001 octets; at most 60000 are allowed'],
  ]))

describe('TLSA has one form, of numbers', () =>
  accepts('TLSA', [
    [`3 1 1 ${hex(32)}`, `3 1 1 ${upper(32)}`],
    [`DANE-EE SPKI SHA2-256 ${hex(32)}`, `3 1 1 ${upper(32)}`],
    [`dane-ta Cert sha2-512 ${hex(64)}`, `2 0 2 ${upper(64)}`],
    ['PKIX-TA 0 Full 30 82', '0 0 0 3082'],
    ['pkix-ee 255 PrivMatch ff', '1 255 255 FF'],
    ['PrivCert PrivSel 9 00', '255 255 9 00'],
    [`3 1 0 ${hex(59_997)}`, `3 1 0 ${upper(59_997)}`],
  ]))

describe('TLSA is refused', () =>
  refuses('TLSA', [
    ['3 1 1', `'3 1 1' is not "CERTIFICATE-USAGE SELECTOR MATCHING-TYPE DATA"`],
    ['256 1 0 00', number('certificate usage', '256', 0, 255)],
    ['DANE 1 0 00', number('certificate usage', 'DANE', 0, 255)],
    ['3 DANE-EE 0 00', number('selector', 'DANE-EE', 0, 255)],
    ['3 1 SHA-256 00', number('matching type', 'SHA-256', 0, 255)],
    [`3 1 1 ${hex(31)}`, 'the certificate association data has 31 octets; SHA2-256 has 32'],
    [`3 1 2 ${hex(32)}`, 'the certificate association data has 32 octets; SHA2-512 has 64'],
    ['3 1 0 0g', digits('certificate association data', '0g')],
    [`3 1 0 ${hex(59_998)}`, 'the record has 60001 octets; at most 60000 are allowed'],
  ]))

describe('SSHFP has one form', () =>
  accepts('SSHFP', [
    [`1 1 ${hex(20)}`, `1 1 ${upper(20)}`],
    [` 004 02 ${hex(16)} ${hex(16)} `, `4 2 ${upper(32)}`],
    ['6 3 00', '6 3 00'],
    [`6 3 ${hex(59_998)}`, `6 3 ${upper(59_998)}`],
  ]))

describe('SSHFP is refused', () =>
  refuses('SSHFP', [
    ['1 1', `'1 1' is not "ALGORITHM FINGERPRINT-TYPE FINGERPRINT"`],
    [`0 1 ${hex(20)}`, number('algorithm', '0', 1, 255)],
    [`RSA 1 ${hex(20)}`, number('algorithm', 'RSA', 1, 255)],
    [`1 0 ${hex(20)}`, number('fingerprint type', '0', 1, 255)],
    [`1 1 ${hex(32)}`, 'the fingerprint has 32 octets; SHA-1 has 20'],
    [`4 2 ${hex(20)}`, 'the fingerprint has 20 octets; SHA-256 has 32'],
    [`6 3 ${hex(59_999)}`, 'the record has 60001 octets; at most 60000 are allowed'],
    ['4 2 SHA256:abc', digits('fingerprint', 'SHA256:abc')],
  ]))
