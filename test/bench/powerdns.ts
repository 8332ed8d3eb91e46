import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { found, PLAIN_ENV, type Running, running } from './commands.ts'
import { freePort } from '../free-port.ts'
import { onCore, type Throughput, wrk } from './wrk.ts'

/** Another program that takes changes of names, or why it cannot be measured. */
export interface NamePeer extends Running {
  readonly name: 'PowerDNS' | 'BIND'
  load(seconds: number): Promise<Throughput>
}

/** A zone file with as many names as ours has. */
export const zoneText = (names: number): string =>
  [
    '$ORIGIN bench.test.',
    '$TTL 60',
    '@ SOA ns.bench.test. host.bench.test. 1 3600 600 86400 60',
    '@ NS ns.bench.test.',
    'ns A 127.0.0.1',
    ...Array.from({ length: names }, (_, at) => `h${String(at + 1).padStart(7, '0')} A 192.0.2.1`),
    '',
  ].join('\n')

const SCRIPT = (names: number): string => `
local number = 0
function request()
  number = number + 1
  local name = string.format("h%07d.bench.test.", 1 + (number * 7919) % ${names})
  local address = string.format("2.%d.%d.%d", math.floor(number / 65536) % 256, math.floor(number / 256) % 256, number % 256)
  return wrk.format("PATCH", nil, { ["X-API-Key"] = "bench", ["Content-Type"] = "application/json" },
    '{"rrsets":[{"name":"' .. name .. '","type":"A","ttl":60,"changetype":"REPLACE","records":[{"content":"' .. address .. '","disabled":false}]}]}')
end
local strange = 0
function response(status, headers, body)
  if status ~= 204 then
    strange = strange + 1
    if strange <= 3 then print("strange: " .. status .. " " .. body) end
  end
end`

/** PowerDNS with its LMDB backend and its API, as Debian has it. */
export async function startPowerDns(folder: string, names: number): Promise<NamePeer | string> {
  if (found('pdns_server') === undefined)
    return 'PowerDNS (pdns-server, pdns-backend-lmdb) is not installed: skipped'
  const own = join(folder, 'pdns')
  mkdirSync(own)
  const [dns, api] = [await freePort(), await freePort()]
  const settings = [
    'launch=lmdb',
    `lmdb-filename=${join(own, 'db')}`,
    'local-address=127.0.0.1',
    `local-port=${dns}`,
    `socket-dir=${own}`,
    'api=yes',
    'api-key=bench',
    'webserver=yes',
    'webserver-address=127.0.0.1',
    `webserver-port=${api}`,
    'loglevel=2',
    'guardian=no',
    'default-api-rectify=no',
    'daemon=no',
  ]
  writeFileSync(join(own, 'pdns.conf'), `${settings.join('\n')}\n`)
  writeFileSync(join(own, 'zone'), zoneText(names))
  writeFileSync(join(own, 'patch.lua'), SCRIPT(names))
  try {
    execFileSync('pdnsutil', [`--config-dir=${own}`, 'load-zone', 'bench.test', join(own, 'zone')], {
      env: PLAIN_ENV,
      stdio: 'pipe',
    })
  } catch (error) {
    return `PowerDNS took no zone (is pdns-backend-lmdb installed?): skipped: ${(error as Error).message.slice(0, 200)}`
  }
  const server = running(onCore(0, ['pdns_server', `--config-dir=${own}`]))
  const url = `http://127.0.0.1:${api}/api/v1/servers/localhost/zones/bench.test.`
  for (let tries = 0; tries < 100; tries++) {
    await sleep(100)
    const answer = await fetch(`${url}?rrsets=false`, { headers: { 'X-API-Key': 'bench' } }).catch(
      () => undefined,
    )
    if (answer?.status === 200)
      return {
        ...server,
        name: 'PowerDNS',
        load: async (seconds) => wrk({ url, seconds, script: join(own, 'patch.lua'), mayTimeOut: true }),
      }
  }
  await server.stop()
  return 'PowerDNS did not start: skipped'
}
