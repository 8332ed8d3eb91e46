import { ok, type Result } from '../../../shared/base/result.ts'
import { parseTarget } from '../dns-name.ts'
import { type InvalidValue, notOfForm, shortNumber } from './parse.ts'
import { wireName, wireUint16 } from './wire.ts'

/** RFC 2782; the target "." means that the service is not available. */
function parseSrv(value: string): Result<string, InvalidValue> {
  const fields = value.split(/[ \t]+/)
  const numbers = fields.slice(0, 3).map(shortNumber)
  const target = fields[3] === '.' ? '' : parseTarget(fields[3] ?? '')
  return fields.length !== 4 || numbers.includes(undefined) || target === undefined
    ? notOfForm(value, 'PRIORITY WEIGHT PORT TARGET')
    : ok(`${numbers.join(' ')} ${target}.`)
}

export const srvRdata = {
  isTarget: false,
  parse: parseSrv,
  wire: [wireUint16, wireUint16, wireUint16, wireName],
} as const
