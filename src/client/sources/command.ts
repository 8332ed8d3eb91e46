import { milliseconds, seconds } from '../../base/time.ts'
import { FAMILIES, familyOf, parseAddress } from '../../net/address.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown, validated } from './validate.ts'

const PATIENCE = seconds(10)

/**
 * The user's own program tells: an address a line; a family that it does not name has none. Run without a shell; exit 0
 * is an answer, everything else is none. It is trusted like an address that the user writes.
 */
export const commandSource = (
  argv: readonly string[],
  { program }: Pick<SourcePorts, 'program'>,
  { allowed }: QueryOptions,
): AddressSource => ({
  name: 'command',
  operator: 'your program',
  vantage: 'chosen',
  families: FAMILIES,
  cooldown: milliseconds(0),
  async look(family, signal) {
    const outcome = await program(argv, PATIENCE, signal)
    if (outcome.kind === 'failed') return unknown(outcome.because)
    if (outcome.code !== 0) return unknown(`ended with exit ${outcome.code}`)
    const lines = outcome.stdout.split('\n').map((line) => line.trim())
    const strange = lines.find((line) => line !== '' && parseAddress(line) === undefined)
    if (strange !== undefined)
      return unknown(`printed ${JSON.stringify(strange.slice(0, 60))}, which is no address`)
    const mine = lines.flatMap((line) => parseAddress(line) ?? []).filter((one) => familyOf(one) === family)
    const [address] = mine
    if (address === undefined) return { kind: 'none' }
    return mine.length > 1
      ? unknown('printed two addresses of one family')
      : validated(address, family, 'command', allowed)
  },
})
