import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Configured, configured, served } from './configured.ts'
import { askedAt } from './dns-asked.ts'
import { KEY } from './dns-secondary.ts'

/** What was made before a rule stays. */

function publishes(at: Configured, more = ''): void {
  const keys = join(at.folder, 'keys')
  writeFileSync(keys, `${KEY.name} ${KEY.algorithm} ${KEY.secret.reveal()}\n`)
  chmodSync(keys, 0o600)
  at.write(`dns_listen = ["127.0.0.1:0"]
answer_queries = true
secondaries = ["a=127.0.0.1:9 key ${KEY.name}"]
tsig_key_file = "${keys}"
${more}`)
}

it('keeps zones that accounts can no longer create, and lists them in one log line', async () => {
  const at = await configured('')
  const taken = ['github.io', 'ns1.operator.test', '10.in-addr.arpa']
  for (const zone of taken) await at.admin('zone', 'add', zone, 'acme')
  publishes(at)
  const running = await served(at)
  for (const zone of taken)
    await eventually(async () => askedAt(running.dnsPort, zone, 'SOA')).toBe('NOERROR SOA')
  const lines = running
    .log()
    .split('\n')
    // The commands of the operator are logged one by one.
    .filter((line) => !line.includes('"operated"') && taken.some((zone) => line.includes(zone)))
  expect(lines).toHaveLength(1)
  for (const zone of taken) expect(lines[0]).toContain(zone)
  expect(lines[0]).not.toContain('acme.test')
})
