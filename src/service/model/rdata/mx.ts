import { ok, type Result } from '../../../shared/base/result.ts'
import { parseHost } from '../dns-name.ts'
import { type InvalidValue, notOfForm, shortNumber } from './parse.ts'
import { wireName, wireUint16 } from './wire.ts'

/** RFC 1035 §3.3.9; RFC 7505: "0 ." is the null MX. */
function parseMx(value: string): Result<string, InvalidValue> {
  const [preference, exchange, ...rest] = value.split(/[ \t]+/)
  const weight = shortNumber(preference)
  const host = exchange === '.' && weight === 0 ? '' : parseHost(exchange ?? '')
  return weight === undefined || host === undefined || rest.length > 0
    ? notOfForm(value, 'PREFERENCE HOST')
    : ok(`${weight} ${host}.`)
}

export const mxRdata = { isTarget: false, parse: parseMx, wire: [wireUint16, wireName] } as const
