import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { boot, type Machine } from '../system/machine.ts'
import { makeRoots, type Roots } from '../system/root.ts'
import { buildService, fileIn } from './built.ts'

const made = makeRoots()
const lacking = typeof made === 'string' ? made : whyNoPostgres()
if (lacking !== undefined)
  console.error(`\n!!! ${lacking}: the tests of two packaged nodes on one database are SKIPPED\n`)

const SETTINGS = `listen = ["[::]:80", "[::]:8245"]
store = "postgres://holdfast@127.0.0.1:5432/service"
store_password_file = "/etc/holdfast/store.password"
hash_key_file = "/etc/holdfast/hash.key"
`
/** Each machine has a network of its own; a socket of the file system is in all of them. */
const RELAY = `const net = require('node:net')
net.createServer((client) => {
  const server = net.connect(process.argv[1])
  for (const [one, other] of [[client, server], [server, client]]) one.on('error', () => other.destroy()).pipe(other)
}).listen(5432, '127.0.0.1')`

describe.skipIf(lacking !== undefined)('the package on two machines with one database', () => {
  let postgres: Postgres
  let machines: readonly Machine[] = []
  const ok = (at: number, command: string): string => {
    const { code, stdout, stderr } = machines[at]?.sh(command) ?? { code: null, stdout: '', stderr: '' }
    if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }
  const ready = (at: number): string =>
    ok(
      at,
      `/usr/lib/holdfast-service/node -e "require('node:http').get('http://127.0.0.1:8245/readyz', (r) => { console.log(r.statusCode); process.exit() })"`,
    )

  beforeAll(async () => {
    const built = fileIn(buildService(), '_amd64.deb')
    const file = `/packages/${basename(built)}`
    postgres = await startPostgres()
    await postgres.query('CREATE DATABASE service')
    machines = await Promise.all([0, 1].map(async () => boot((made as Roots).full, { [built]: file })))
    for (const [at, machine] of machines.entries()) {
      machine.inNetwork(process.execPath, ['-e', RELAY, join(postgres.folder, `.s.PGSQL.${postgres.port}`)])
      ok(at, `dpkg -i ${file}`)
      ok(
        at,
        `(umask 077; echo not-asked-for > /etc/holdfast/store.password); cat > /etc/holdfast/service.toml <<'END'\n${SETTINGS}END`,
      )
    }
  })
  afterAll(async () => {
    await Promise.all(machines.map(async (one) => one.stop()))
    await postgres?.stop()
  })

  it('serves on the first, with a key and a password that only root may read', () => {
    expect(ok(0, 'holdfast-service admin init')).toContain('the ports are open')
    expect(ok(0, 'stat -c "%U %a" /etc/holdfast/hash.key')).toBe('root 600')
    expect(ready(0)).toBe('200')
    expect(ok(0, 'ps -o user= -p $(systemctl show -P MainPID holdfast-service)')).not.toBe('root')
  })

  it('serves on the second with the key of the first, and not without it', () => {
    const refused = machines[1]?.sh('holdfast-service admin init')
    expect([refused?.code, refused?.stderr]).toEqual([
      78,
      expect.stringContaining('copy it from another node'),
    ])
    const key = ok(0, 'cat /etc/holdfast/hash.key')
    ok(1, `umask 077; echo ${key} > /etc/holdfast/hash.key`)
    expect(ok(1, 'holdfast-service admin init')).toMatch(/is unchanged\n.*the ports are open/)
    expect(ready(1)).toBe('200')
    ok(0, 'holdfast-service admin plan add basic')
    expect(ok(1, 'holdfast-service admin plan list')).toContain('basic')
  })

  it('is backed up every day on each of them', () => {
    for (const at of [0, 1]) {
      expect(ok(at, 'systemctl is-active holdfast-service-backup.timer')).toBe('active')
      ok(at, 'systemctl start holdfast-service-backup.service')
      expect(ok(at, 'ls /var/backups/holdfast/*/')).toContain('holdfast.db')
    }
  })
})
