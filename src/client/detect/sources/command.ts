import { milliseconds, seconds } from '../../../shared/base/time.ts'
import { FAMILIES, familyOf, parseAddress } from '../../../shared/base/address.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown, validated } from './validate.ts'

const COMMAND_TIMEOUT = seconds(10)

/**
 * Runs the user's program without a shell. It prints one address per line; a family without a line has no address. Any exit
 * code but 0 is a failure. The result needs no confirmation, like a configured address.
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
    const outcome = await program(argv, COMMAND_TIMEOUT, signal)
    if (outcome.kind === 'failed') return unknown(outcome.because)
    if (outcome.code !== 0) return unknown(`exited with code ${outcome.code}`)
    const lines = outcome.stdout.split('\n').map((line) => line.trim())
    const invalid = lines.find((line) => line !== '' && parseAddress(line) === undefined)
    if (invalid !== undefined)
      return unknown(`printed ${JSON.stringify(invalid.slice(0, 60))}, which is not an address`)
    const addresses = lines
      .flatMap((line) => parseAddress(line) ?? [])
      .filter((address) => familyOf(address) === family)
    if (addresses.length === 0) return { kind: 'none' }
    return addresses.length > 1
      ? unknown('printed two addresses of one family')
      : validated(addresses[0], { family, by: 'command', allowed })
  },
})
