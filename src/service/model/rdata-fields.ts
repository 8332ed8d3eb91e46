import { err, ok } from '../../shared/base/result.ts'
import { parseTarget } from './dns-name.ts'
import { type Field, excerpt } from './rdata-type.ts'

/** Fields are separated by blanks and tabs (RFC 1035 §5.1). */
export const fieldsIn = (value: string): readonly string[] =>
  value.split(/[ \t]+/).filter((field) => field !== '')

export interface NumberField {
  readonly name: string
  readonly min?: number
  readonly max: number
  /** In capitals; compared without case. */
  readonly mnemonics?: Readonly<Record<string, number>>
}

/** A whole number in decimal, or its mnemonic; in canonical form without leading zeros. */
export function numberField({ name, min = 0, max, mnemonics = {} }: NumberField, text = ''): Field {
  const upper = text.toUpperCase()
  if (Object.hasOwn(mnemonics, upper)) return ok(String(mnemonics[upper]))
  return /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max
    ? ok(String(Number(text)))
    : err(`the ${name} ${excerpt(text)} is not a whole number from ${min} to ${max}`)
}

/** A length in octets that a registry requires, and of what. */
export type RequiredLength = readonly [of: string, octets: number]

/** Hexadecimal digits in capitals, without white space. */
export function hexField(name: string, text: string, required?: RequiredLength): Field {
  if (text === '' || text.length % 2 !== 0 || !/^[\da-f]+$/i.test(text))
    return err(`the ${name} ${excerpt(text)} is not a sequence of pairs of hexadecimal digits`)
  const octets = text.length / 2
  return required !== undefined && octets !== required[1]
    ? err(`the ${name} has ${octets} octets; ${required[0]} has ${required[1]}`)
    : ok(text.toUpperCase())
}

/** A domain name, absolute, with the trailing dot; "." is the root. */
export function nameField(name: string, text: string): Field {
  if (text === '.') return ok('.')
  const parsed = parseTarget(text)
  return parsed === undefined
    ? err(`the ${name} ${excerpt(text)} is neither a domain name nor "."`)
    : ok(`${parsed}.`)
}
