import { ok } from '../../../shared/base/result.ts'
import { parseHost, parseTarget } from '../dns-name.ts'
import { excerpt, type InvalidValue, malformed, type RdataParser } from './parse.ts'
import { wireName } from './wire.ts'

/** Canonical form: absolute, with the trailing dot (RFC 1035 §5.1). */
const domain =
  (refused: InvalidValue['refused'], parse: (text: string) => string | undefined): RdataParser =>
  (value) => {
    const name = parse(value)
    return name === undefined ? malformed(refused, `${excerpt(value)} is not a domain name`) : ok(`${name}.`)
  }

const isTarget = false
const wire = [wireName] as const

export const cnameRdata = { isTarget, parse: domain('cnameInvalid', parseTarget), wire } as const
export const nsRdata = { isTarget, parse: domain('nsInvalid', parseHost), wire } as const
export const ptrRdata = { isTarget, parse: domain('ptrInvalid', parseHost), wire } as const
/** It is published as the addresses of its target. */
export const aliasRdata = { isTarget, parse: domain('aliasInvalid', parseTarget) } as const
