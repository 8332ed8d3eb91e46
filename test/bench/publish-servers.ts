import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bind, knot, type NameServer, nsd, SECRET } from '../system/name-server-programs.ts'
import { found } from './commands.ts'
import { freePort } from '../free-port.ts'

const MAKERS = [
  { name: 'knot', program: 'knotd', make: knot },
  { name: 'bind', program: 'named', make: bind },
  { name: 'nsd', program: 'nsd', make: nsd },
] as const

export interface Secondaries {
  /** Of the service, for DNS. */
  readonly dns: number
  /** Those that are installed. */
  readonly servers: readonly NameServer[]
  /** For the service: where it listens, and who may fetch. */
  readonly flags: readonly string[]
  readonly notes: readonly string[]
}

/** Name servers of other projects that fetch from the service; they are not started yet. */
export async function secondariesIn(folder: string): Promise<Secondaries> {
  const own = join(folder, 'servers')
  mkdirSync(own, { recursive: true })
  const present = MAKERS.filter(({ program }) => found(program) !== undefined)
  const keys = join(folder, 'keys')
  writeFileSync(keys, MAKERS.map(({ name }) => `${name}-key hmac-sha256 ${SECRET}\n`).join(''))
  chmodSync(keys, 0o600)
  const dns = await freePort()
  const servers: NameServer[] = []
  for (const { make } of present) servers.push(make({ folder: own, port: await freePort(), dns }))
  const named = servers.map(({ name, port }) => `${name}=127.0.0.1:${port} key ${name}-key`)
  return {
    dns,
    servers,
    flags: [
      '--dns-listen',
      `127.0.0.1:${dns}`,
      '--tsig-key-file',
      keys,
      ...named.flatMap((secondary) => ['--secondaries', secondary]),
    ],
    notes: MAKERS.filter((one) => !present.includes(one)).map(
      ({ program }) => `${program} is not installed: skipped`,
    ),
  }
}
