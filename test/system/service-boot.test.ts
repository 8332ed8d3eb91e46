import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../e2e/processes.ts'
import { certificate } from '../e2e/servers.ts'
import { eventually } from '../eventually.ts'
import { judgesPace } from '../lab/pace.ts'
import { boot, type Machine } from './machine.ts'
import { makeRoots, type Roots } from './root.ts'

const made = makeRoots()
if (typeof made === 'string')
  console.error(
    `\n!!! no systemd can be booted here (${made}): the tests of the units of the service are SKIPPED\n`,
  )

const PACKAGE = '/usr/local/lib/node_modules/holdfast'
/** Debian's Node has no node:sqlite: the service brings a newer one. */
const NODE = '/opt/node/bin/node'
const UNIT = 'holdfast-service'

const CONFIG = `listen = ["[::]:80", "[::]:443/tls", "[::]:8245"]
tls_cert = "/run/credentials/holdfast-service.service/tls.crt"
tls_key = "/run/credentials/holdfast-service.service/tls.key"
nameservers = ["ns1.example.test"]
`

/** Sends requests one after another on eight kept connections, for some seconds; prints what became of them. */
const LOAD = `
const http = require('node:http')
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
const seen = { ok: 0, other: 0, slowest: 0, errors: [] }
const end = Date.now() + Number(process.argv[2])
const ask = () => new Promise((done) => {
  const began = Date.now()
  const asked = http.get('http://127.0.0.1:8245/v1/dns/about', { agent }, (response) => {
    if (response.statusCode === 200) seen.ok++; else seen.other++
    response.resume().on('end', () => { seen.slowest = Math.max(seen.slowest, Date.now() - began); done() })
  })
  asked.on('error', (error) => { seen.errors.push(error.code); done() })
})
Promise.all(Array.from({ length: 8 }, async () => { while (Date.now() < end) await ask() }))
  .then(() => { console.log(JSON.stringify(seen)); process.exit() })
`

describe.skipIf(typeof made === 'string')('the service under a real systemd', () => {
  let machine: Machine
  const ok = (command: string): string => {
    const { code, stdout, stderr } = machine.sh(command)
    if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }
  const show = (property: string): string => ok(`systemctl show -P ${property} ${UNIT}`)
  const write = (path: string, text: string, mode = '600'): void =>
    void ok(`mkdir -p ${dirname(path)}; cat > ${path} <<'END'\n${text}\nEND\nchmod ${mode} ${path}`)
  const useCertificate = (name: string): void => {
    const { cert, key } = certificate(`DNS:${name}`)
    write('/etc/holdfast/tls/fullchain.pem', readFileSync(cert, 'utf8'))
    write('/etc/holdfast/tls/privkey.pem', readFileSync(key, 'utf8'))
  }
  /** The status of /v1/dns/about, and the names of the certificate for https. */
  const asked = (url: string): string =>
    ok(`${NODE} -e "
      const url = '${url}'
      require(url.startsWith('https') ? 'node:https' : 'node:http').get(url + '/v1/dns/about', { rejectUnauthorized: false }, (r) => {
        console.log(r.statusCode, r.socket.getPeerCertificate?.().subjectaltname ?? ''); process.exit()
      })"`)
  const admin = (words: string): string => ok(`holdfast-service admin ${words}`)

  beforeAll(async () => {
    const copies = Object.fromEntries(
      ['bin', 'dist', 'systemd', 'config', 'package.json'].map((name) => [
        join(ROOT, name),
        `${PACKAGE}/${name}`,
      ]),
    )
    machine = await boot((made as Roots).full, { ...copies, [process.execPath]: NODE })
    write('/usr/local/bin/holdfast-service', `#!/bin/sh\nexec ${NODE} ${PACKAGE}/bin/holdfast.js "$@"`, '755')
    write('/load.js', LOAD, '644')
  })
  afterAll(async () => machine?.stop())

  it('is not installed without a configuration and a store', () => {
    const { code, stderr } = machine.sh('holdfast-service service install --serve')

    expect(code).toBe(78)
    expect(stderr).toMatch(/there is no \/etc\/holdfast\/service\.toml; copy \S+config\/service\.toml/)
    write('/etc/holdfast/service.toml', CONFIG, '644')
    expect(machine.sh('holdfast-service service install --serve')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/there is no store in \/var\/lib\/holdfast-service/) as string,
    })
    expect(machine.sh('ls -d /etc/systemd/system/holdfast*').stdout).toBe('')
  })

  it('is installed with its ports and its backup, and is ready', async () => {
    useCertificate('one.test')
    write('/etc/holdfast/service.toml', CONFIG, '644')
    admin('init')
    ok('holdfast-service service install --serve')

    await eventually(() => show('ActiveState')).toBe('active')
    await eventually(() => show('StatusText')).toMatch(
      /^listening at http:\/\/\S+:80, https:\/\/\S+:443, http:\/\/\S+:8245$/,
    )
    expect([asked('http://127.0.0.1'), asked('http://127.0.0.1:8245')]).toEqual(['200', '200'])
    expect(asked('https://127.0.0.1')).toBe('200 DNS:one.test')
    expect(ok('journalctl --unit holdfast-service --output cat')).toMatch(
      /the store \/var\/lib\/holdfast-service holds 0 accounts/,
    )
    expect(machine.sh('holdfast-service service status --serve').code).toBe(0)
  })

  it('has an exposure of 1.5 or less, and valid units', () => {
    for (const unit of [
      `${UNIT}.service`,
      `${UNIT}.socket`,
      `${UNIT}-backup.service`,
      `${UNIT}-backup.timer`,
    ])
      expect(machine.sh(`systemd-analyze verify /etc/systemd/system/${unit}`)).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      })
    const [, exposure] =
      /: ([\d.]+) /.exec(ok(`systemd-analyze security --no-pager ${UNIT}.service | tail -1`)) ?? []
    expect(Number(exposure)).toBeLessThanOrEqual(1.5)
  })

  it('is administered by root while it runs, and the files stay those of the service', async () => {
    admin('plan add basic')
    admin('account add acme basic')
    admin('zone add acme.test acme')
    const key = admin('api-key add acme').split(' ').at(-1) ?? ''
    const status = ok(`${NODE} -e "
      fetch('http://127.0.0.1:8245/v1/dns/records/acme.test', { method: 'POST', body: '{\\"name\\":\\"home\\"}',
        headers: { authorization: 'Bearer ${key}', 'content-type': 'application/json' } })
        .then((r) => { console.log(r.status); process.exit() })"`)

    expect(status).toBe('201')
    const owners = ok('stat -L -c "%U %a %n" /var/lib/holdfast-service /var/lib/holdfast-service/*').split(
      '\n',
    )
    expect(owners.map((line) => line.split(' ')[0])).toEqual(owners.map(() => UNIT))
    expect(owners.map((line) => line.split(' ')[1])).toEqual(
      owners.map((_, at) => (at === 0 ? '700' : '600')),
    )
  })

  it('answers every request over two restarts: the socket holds them', () => {
    const said = ok(
      `(sleep 1; systemctl restart ${UNIT}; sleep 1.5; systemctl restart ${UNIT}) & ${NODE} /load.js 5000; wait`,
    )
    const seen = JSON.parse(said) as { ok: number; other: number; slowest: number; errors: readonly string[] }

    expect(seen).toMatchObject({ other: 0, errors: [] })
    expect(seen.ok).toBeGreaterThan(200)
    if (judgesPace) expect(seen.slowest).toBeLessThan(5000)
  })

  it('uses a renewed certificate through the hook of certbot', async () => {
    useCertificate('two.test')
    write('/etc/letsencrypt/live/x/fullchain.pem', ok('cat /etc/holdfast/tls/fullchain.pem'))
    write('/etc/letsencrypt/live/x/privkey.pem', ok('cat /etc/holdfast/tls/privkey.pem'))
    ok(`RENEWED_LINEAGE=/etc/letsencrypt/live/x sh ${PACKAGE}/systemd/hooks/certbot-deploy`)

    await eventually(() => asked('https://127.0.0.1')).toBe('200 DNS:two.test')
  })

  it('reloads its settings', async () => {
    write('/etc/holdfast/service.toml', `${CONFIG}log_level = "debug"\n`, '644')
    ok(`systemctl reload ${UNIT}`)

    // The signal is sent when the reload returns, and not yet handled: asked until the log has it.
    await eventually(() => {
      asked('http://127.0.0.1')
      return ok(`journalctl --unit ${UNIT} --output cat`)
    }).toMatch(/answered .*path=\/v1\/dns\/about/)
  })

  it('comes back after kill -9', async () => {
    const before = show('MainPID')
    ok(`systemctl kill --signal KILL ${UNIT}`)

    await eventually(() => `${show('ActiveState')} ${show('MainPID') !== before}`).toBe('active true')
    expect(asked('http://127.0.0.1')).toBe('200')
  })

  it('is backed up while it runs, and restored', async () => {
    ok(`systemctl start ${UNIT}-backup.service`)
    const backup = ok('ls -d /var/backups/holdfast/holdfast-*')
    admin('account add beta basic')

    expect(machine.sh(`holdfast-service admin restore ${backup}`).code).toBe(78)
    ok(`systemctl stop ${UNIT}.socket ${UNIT}.service && holdfast-service admin restore ${backup}`)
    ok(`systemctl start ${UNIT}.socket ${UNIT}.service`)
    await eventually(() => show('ActiveState')).toBe('active')

    expect(admin('account list')).toMatch(/^acme /m)
    expect(admin('account list')).not.toMatch(/^beta /m)
  })

  it('answers DNS on port 53 with the permission of the document', async () => {
    const page = readFileSync(join(ROOT, 'docs/publishing.md'), 'utf8')
    const [, path = '', text = ''] = /```ini\n# (\S+)\n([^]*?)```/.exec(page) ?? []
    write(path, text, '644')
    write(
      '/etc/holdfast/service.toml',
      `${CONFIG}dns_listen = ["127.0.0.1:53"]\nanswer_queries = true\n`,
      '644',
    )
    admin('zone add dns.test acme')
    ok(`systemctl daemon-reload; systemctl restart ${UNIT}.service`)
    await eventually(() => show('ActiveState')).toBe('active')

    const resolved = (): string =>
      machine
        .sh(`${NODE} -e "
        const resolver = new (require('node:dns').promises.Resolver)()
        resolver.setServers(['127.0.0.1'])
        resolver.resolveNs('dns.test').then((names) => console.log(names.join()), (error) => console.log(error.code))"`)
        .stdout.trim()
    await eventually(resolved).toBe('ns1.example.test')
    ok(`rm -r ${dirname(path)}`)
    write('/etc/holdfast/service.toml', CONFIG, '644')
    ok(`systemctl daemon-reload; systemctl restart ${UNIT}.service`)
  })

  it('is refused without its store, and says why', async () => {
    ok(`systemctl stop ${UNIT}.socket ${UNIT}.service; rm -r /var/lib/private/holdfast-service/*`)
    machine.sh(`systemctl start ${UNIT}.service`)

    await eventually(() => show('ExecMainStatus')).toBe('78')
    expect(show('NRestarts')).toBe('0')
    expect(ok(`journalctl --unit ${UNIT} --output cat | tail -5`)).toContain(
      'there is no store in /var/lib/holdfast-service',
    )
  })

  it('is uninstalled completely, except for its store', () => {
    ok('holdfast-service service uninstall --serve')

    expect(ok('find /etc/systemd /run/systemd -name "holdfast*"')).toBe('')
    expect(ok('systemctl list-units --all --no-legend "holdfast*"')).toBe('')
  })
})
