import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificate } from '../e2e/servers.ts'
import { eventually } from '../eventually.ts'
import { isLarge } from '../large.ts'
import { boot, type Machine } from '../system/machine.ts'
import { makeRoots, type Roots } from '../system/root.ts'
import { build, buildService, earlierCheckout, fileIn, linesWith, OLD_VERSION, VERSION } from './built.ts'
import { TRACES } from './debian-traces.ts'

const made = makeRoots()
if (typeof made === 'string')
  console.error(
    `\n!!! no systemd can be booted here (${made}): the tests of the package of the service are SKIPPED\n`,
  )

const NODE = '/usr/lib/holdfast-service/node'
const TLS = '/etc/holdfast/tls'
const CONFIG = `listen = ["[::]:80", "[::]:8245", "[::]:443/tls"]
store = "/var/lib/holdfast-service"
tls_cert = "/run/credentials/holdfast-service.service/tls.crt"
tls_key = "/run/credentials/holdfast-service.service/tls.key"
`

/**
 * Makes names and a key with the API key of the first argument, and for some seconds sends changes of each on a kept
 * connection; then compares what the API lists with what was acknowledged. Prints the counts.
 */
const LOAD = `
const http = require('node:http')
const [, , apiKey, seconds] = process.argv
const agent = new http.Agent({ keepAlive: true })
const seen = { good: 0, other: [], errors: [], wrong: 0 }
const ask = (path, { auth, method = 'GET', body } = {}) => new Promise((done, fail) => {
  const asked = http.request('http://127.0.0.1:8245' + path, { agent, auth, method,
    headers: { 'user-agent': 'Load test/1-1 you@example.test', ...(body && { 'content-type': 'application/json' }) } }, (response) => {
    let text = ''
    response.on('data', (chunk) => (text += chunk)).on('end', () => done(text))
  })
  asked.on('error', fail)
  asked.end(body && JSON.stringify(body))
})
const admin = { auth: ':' + apiKey }
const main = async () => {
  const names = Array.from({ length: 4 }, (_, at) => 'h' + at)
  for (const name of names) await ask('/v1/dns/records/acme.test', { ...admin, method: 'POST', body: { name } })
  const hostnames = names.map((name) => name + '.acme.test')
  const { data } = JSON.parse(await ask('/v1/account/ddns-keys', { ...admin, method: 'POST', body: { hostnames } }))
  const acknowledged = {}
  const end = Date.now() + 1000 * Number(seconds)
  await Promise.all(hostnames.map(async (hostname, at) => {
    for (let n = 1; Date.now() < end; n++) {
      const myip = '11.' + at + '.' + (n >> 8) + '.' + (n & 255)
      try {
        const said = await ask('/nic/update?hostname=' + hostname + '&myip=' + myip, { auth: data.username + ':' + data.password })
        if (said.trim() === 'good ' + myip) { seen.good++; acknowledged[hostname] = myip } else seen.other.push(said)
      } catch (error) { seen.errors.push(error.code) }
      await new Promise((done) => setTimeout(done, 10))
    }
  }))
  for (const [at, name] of names.entries()) {
    const listed = await ask('/v1/dns/records/acme.test/' + name, admin)
    if (!listed.includes('"' + acknowledged[hostnames[at]] + '"')) seen.wrong++
  }
  console.log(JSON.stringify(seen))
  process.exit()
}
main()
`

let [packages, service, earlier] = ['', '', '']
beforeAll(() => {
  packages = build({ only: ['deb'] })
  service = buildService()
  earlier = build({ only: ['service-amd64'], root: earlierCheckout() })
})

// Its Node is most of the package, and takes half a minute; the package of the client is judged in every run.
it.runIf(isLarge)('lintian has nothing to say', () => {
  const { stdout, stderr } = spawnSync(
    'lintian',
    ['--allow-root', '--fail-on', 'error,warning', fileIn(service, '_amd64.deb')],
    { encoding: 'utf8' },
  )
  expect(`${stdout}${stderr}`).toBe('')
})

it('has no path of the builder', () => {
  expect(linesWith(process.cwd(), fileIn(service, '_amd64.deb'))).toBe('0')
})

describe.skipIf(typeof made === 'string')('the service on a Debian', () => {
  let machine: Machine
  const ok = (command: string): string => {
    const { code, stdout, stderr } = machine.sh(command)
    if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }
  const show = (property: string): string => ok(`systemctl show -P ${property} holdfast-service`)
  const write = (path: string, text: string, mode = '600'): void =>
    void ok(`mkdir -p ${dirname(path)}; cat > ${path} <<'END'\n${text}\nEND\nchmod ${mode} ${path}`)
  const place = (folder: string, ending: string): string => `/packages/${basename(fileIn(folder, ending))}`
  const ask = (path: string): string =>
    ok(
      `${NODE} -e "require('node:http').get('http://127.0.0.1:8245${path}', (r) => { console.log(r.statusCode); process.exit() })"`,
    )
  const certificateInUse = (): string =>
    machine
      .sh(
        `${NODE} -e "const s = require('node:tls').connect({ host: '127.0.0.1', port: 443, rejectUnauthorized: false }, () => { console.log(s.getPeerCertificate().subjectaltname); process.exit() })"`,
      )
      .stdout.trim()
  const renew = (folder: string, name: string): void => {
    const { cert, key } = certificate(`DNS:${name}`)
    write(`${folder}/fullchain.pem`, readFileSync(cert, 'utf8'))
    write(`${folder}/privkey.pem`, readFileSync(key, 'utf8'))
  }

  beforeAll(async () => {
    machine = await boot((made as Roots).full, {
      [fileIn(packages, '_all.deb')]: place(packages, '_all.deb'),
      [fileIn(service, '_amd64.deb')]: place(service, '_amd64.deb'),
      [fileIn(earlier, '_amd64.deb')]: place(earlier, '_amd64.deb'),
    })
    write('/load.js', LOAD, '644')
  })
  afterAll(async () => machine?.stop())

  it('is installed with its own Node, and refuses to start without a store', () => {
    expect(ok(`dpkg -i ${place(earlier, '_amd64.deb')}`)).toContain('sudo holdfast-service admin init')
    expect(ok('holdfast-service --version')).toBe(OLD_VERSION)
    const refused = machine.sh('holdfast-service')
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('admin init')])
  })

  it('opens no port for a question, or for another store', () => {
    expect(ok('holdfast-service admin init --help')).toContain('holdfast admin')
    ok('holdfast-service admin init --store /var/lib/other && rm -r /var/lib/other')
    expect(machine.sh('systemctl is-enabled holdfast-service.socket').stdout.trim()).toBe('disabled')
  })

  it('opens its ports with the store, and the first request starts it', async () => {
    const said = ok('holdfast-service admin init')
    expect(said).toContain('the first request starts the service')
    expect(machine.sh('systemctl is-active holdfast-service.service').stdout.trim()).toBe('inactive')
    expect(ask('/v1/dns/about')).toBe('200')
    await eventually(() => show('StatusText')).toMatch(/^listening at /)
    expect(ok('systemctl is-enabled holdfast-service-backup.timer')).toBe('enabled')
  })

  it('is upgraded under load: no request is refused, and no acknowledged change is lost', () => {
    ok(
      'holdfast-service admin plan add basic && holdfast-service admin account add acme basic && holdfast-service admin zone add acme.test acme',
    )
    ok('echo "request_limit = 100000" >> /etc/holdfast/service.toml; systemctl reload holdfast-service')
    const apiKey = ok('holdfast-service admin api-key add acme').split(' ').at(-1) ?? ''
    const before = show('MainPID')
    const said = ok(
      `(sleep 2; dpkg -i ${place(service, '_amd64.deb')} >/upgrade.log 2>&1) & ${NODE} /load.js ${apiKey} 12; wait; echo; cat /upgrade.log`,
    )
    const seen = JSON.parse(said.split('\n')[0] ?? '') as { good: number }

    expect(seen, said).toMatchObject({ other: [], errors: [], wrong: 0 })
    expect(seen.good).toBeGreaterThan(500)
    expect(ok('holdfast-service --version')).toBe(VERSION)
    expect(show('MainPID')).not.toBe(before)
    expect(ok('holdfast-service admin zone list')).toContain('acme.test')
  })

  it('gives its folder to root when it is configured, and says so', () => {
    ok('chown 61187:61187 /etc/holdfast')
    expect(machine.sh('dpkg-reconfigure holdfast-service').stderr).toContain(
      '/etc/holdfast belonged to user 61187; it belongs to root now',
    )
    expect(ok('stat -c "%u:%g" /etc/holdfast /etc/holdfast/service.toml')).toBe('0:0\n0:0')
  })

  it('serves https as the document says, and a renewed certificate with its hook', async () => {
    renew(TLS, 'one.test')
    write('/etc/systemd/system/holdfast-service.socket.d/override.conf', '[Socket]\nListenStream=443', '644')
    write('/etc/holdfast/service.toml', CONFIG, '644')
    ok('systemctl daemon-reload; systemctl restart holdfast-service.socket holdfast-service.service')
    await eventually(certificateInUse).toBe('DNS:one.test')

    renew('/etc/letsencrypt/live/x', 'two.test')
    ok('RENEWED_LINEAGE=/etc/letsencrypt/live/x sh /usr/share/doc/holdfast-service/examples/certbot-deploy')
    await eventually(certificateInUse).toBe('DNS:two.test')
    expect(ask('/v1/dns/about')).toBe('200')
  })

  it('keeps the certificate that works when a renewed one does not', () => {
    renew('/etc/letsencrypt/live/x', 'three.test')
    write('/etc/letsencrypt/live/x/fullchain.pem', 'no certificate')
    const hook = machine.sh(
      'RENEWED_LINEAGE=/etc/letsencrypt/live/x sh /usr/share/doc/holdfast-service/examples/certbot-deploy',
    )
    expect([hook.code, hook.stderr]).toEqual([1, expect.stringContaining('one before is in use again')])
    expect(ask('/v1/dns/about')).toBe('200')
    expect(certificateInUse()).toBe('DNS:two.test')
  })

  it('keeps its ports open over many restarts, and over settings that it refuses', async () => {
    ok('for n in 1 2 3 4 5 6 7; do systemctl restart holdfast-service; done')
    expect(ask('/v1/dns/about')).toBe('200')
    ok('echo nonsense = 1 >> /etc/holdfast/service.toml')
    expect(machine.sh('systemctl restart holdfast-service').code).not.toBe(0)
    // A request that waits is answered when the mistake is mended, without any other command.
    ok(
      `(${NODE} -e "require('node:http').get('http://127.0.0.1:8245/v1/dns/about', (r) => { console.log(r.statusCode); process.exit() })" > /waited 2>&1) & sleep 12`,
    )
    expect(ok('systemctl show -P ActiveState holdfast-service.socket')).toBe('active')
    write('/etc/holdfast/service.toml', CONFIG, '644')
    await eventually(() => ok('cat /waited')).toBe('200')
  })

  it('is backed up while it runs, and restored', () => {
    ok('systemctl start holdfast-service-backup.service')
    const backup = ok('ls -d /var/backups/holdfast/holdfast-*')
    ok('holdfast-service admin account add beta basic')
    expect(machine.sh(`holdfast-service admin restore ${backup}`).code).toBe(78)
    ok(
      `systemctl stop holdfast-service.socket holdfast-service.service && holdfast-service admin restore ${backup} && systemctl start holdfast-service.socket`,
    )
    expect(ask('/v1/dns/about')).toBe('200')
    expect(ok('holdfast-service admin account list')).toMatch(/^acme /m)
    expect(ok('holdfast-service admin account list')).not.toMatch(/^beta /m)
  })

  it('is repaired after an upgrade that found no space', () => {
    // The next files of the package do not fit: dpkg puts back what it had replaced.
    ok('mkdir /small && mount -t tmpfs -o size=150m small /small && cp -a /usr/lib/holdfast-service /small/')
    ok(
      'mount --bind /small/holdfast-service /usr/lib/holdfast-service && fallocate -l 20M /small/other || true',
    )
    const failed = machine.sh(`dpkg -i ${place(service, '_amd64.deb')}`)
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('No space left on device')])
    expect(ask('/v1/dns/about')).toBe('200')
    expect(ok('holdfast-service --version')).toBe(VERSION)
    ok('umount -l /usr/lib/holdfast-service; umount -l /small')
    ok(`dpkg -i ${place(service, '_amd64.deb')}`)
    expect(ask('/v1/dns/about')).toBe('200')
  })

  /** A busy machine takes its time. */
  const LISTENS =
    "for n in $(seq 300); do grep -q 'http://127.0.0.1:9123' /log 2>/dev/null && break; sleep 0.1; done; sleep 0.2"

  it('ends with the signal to its command', () => {
    ok(`dpkg -i ${place(packages, '_all.deb')}`)
    for (const command of ['holdfast-service', 'holdfast']) {
      const serve = `${command} serve --listen 127.0.0.1:9123 --store /var/lib/holdfast-service`
      const ended = machine.sh(`rm -f /log; ${serve} > /log 2>&1 & ${LISTENS}; kill $!; wait $!; echo $?`)
      expect(ended.stdout.trim(), ok('cat /log')).toBe('0')
      expect(machine.sh("pgrep -f '[l]isten 127.0.0.1:9123'").stdout).toBe('')
    }
  })

  it('calls it no success when the service is killed', () => {
    const serve = 'holdfast serve --listen 127.0.0.1:9123 --store /var/lib/holdfast-service'
    const ended = machine.sh(
      `rm -f /log; ${serve} > /log 2>&1 & ${LISTENS}; pkill -KILL -f '^/usr/lib/holdfast-service/node.*[l]isten 127.0.0.1:9123'; wait $!; echo $?`,
    )
    expect(ended.stdout.trim(), ok('cat /log')).toBe('70')
  })

  it('starts at every boot, and again after it was removed and installed', () => {
    expect(ok('systemctl is-enabled holdfast-service.service')).toBe('enabled')
    ok('dpkg -r holdfast-service')
    expect(machine.sh('systemctl is-active holdfast-service.socket').stdout.trim()).not.toBe('active')
    ok(`dpkg -i ${place(service, '_amd64.deb')}`)
    expect(ask('/v1/dns/about')).toBe('200')
    expect(ok('systemctl is-active holdfast-service-backup.timer')).toBe('active')
  })

  it('says sudo to a user who cannot read its store', () => {
    const said = machine.sh('setpriv --reuid=65534 --clear-groups holdfast-service admin account list')
    expect([said.code, said.stderr]).toEqual([78, expect.stringContaining('use sudo')])
    expect(ok('holdfast-service admin init --store /var/lib/other && rm -r /var/lib/other')).toContain(
      'next: holdfast-service admin plan add basic, holdfast-service admin account add',
    )
  })

  it('gets what serve and admin of the client are asked', () => {
    expect(ok('holdfast admin zone list')).toContain('acme.test')
    expect(machine.sh('holdfast serve --listen nonsense').code).toBe(64)
    ok('dpkg -P holdfast')
    expect(ok('ls /etc/holdfast')).toContain('service.toml')
  })

  it('leaves its backups, the certificate and nothing else after a purge', () => {
    ok('dpkg -P holdfast-service')
    expect(ok(`${TRACES} | grep -v -e ^/var/backups/holdfast -e ^/etc/holdfast || true`)).toBe('')
    expect(ok('ls /var/backups/holdfast')).not.toBe('')
    expect(ok('find /etc/holdfast -type f').split('\n').sort()).toEqual([
      `${TLS}/fullchain.pem`,
      `${TLS}/privkey.pem`,
    ])
    ok(`dpkg -i ${place(service, '_amd64.deb')}`)
    expect(machine.sh('holdfast-service').stderr).toContain('run: holdfast-service admin init')
  })

  it('is brought back from a backup on a new host', () => {
    const backup = ok('ls -d /var/backups/holdfast/holdfast-*')
    expect(ok(`holdfast-service admin restore ${backup}`)).toContain(
      'open the ports with: holdfast-service admin init',
    )
    expect(ok('holdfast-service admin init')).toContain('the ports are open')
    expect(ask('/v1/dns/about')).toBe('200')
    expect(ok('holdfast-service admin account list')).toMatch(/^acme /m)
  })

  it('has its store on a disk of its own, which a purge empties', () => {
    ok(
      'dpkg -P holdfast-service; rm -rf /var/lib/private/holdfast-service; mkdir -p /var/lib/private/holdfast-service',
    )
    ok('mount -t tmpfs disk /var/lib/private/holdfast-service')
    ok(`dpkg -i ${place(service, '_amd64.deb')}`)
    expect(machine.sh('setpriv --reuid=65534 --clear-groups holdfast-service admin init').stderr).toContain(
      'use sudo',
    )
    expect(ok('holdfast-service admin init')).toContain('the ports are open')
    expect(ask('/v1/dns/about')).toBe('200')
    expect(ok('ls /var/lib/private/holdfast-service')).toContain('holdfast.db')
    // The ports stay open however often they are opened.
    ok('for n in 1 2 3 4 5 6 7; do systemctl restart holdfast-service.socket holdfast-service.service; done')
    expect(ask('/v1/dns/about')).toBe('200')
    ok('dpkg -P holdfast-service')
    expect(ok('ls /var/lib/private/holdfast-service')).toBe('')
  })
})
