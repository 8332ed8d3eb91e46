import { execFileSync, spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { boot, type Machine } from '../system/machine.ts'
import { makeRoots, type Roots } from '../system/root.ts'
import { SERVICE, serviceIn } from '../system/update-service.ts'
import { build, earlierCheckout, fileIn, linesWith, OLD_VERSION, VERSION } from './built.ts'
import { TRACES } from './debian-traces.ts'

const made = makeRoots()
if (typeof made === 'string')
  console.error(
    `\n!!! no systemd can be booted here (${made}): the tests of the packages under it are SKIPPED\n`,
  )

let [packages, earlier] = ['', '']
beforeAll(() => {
  packages = build({ only: ['deb'] })
  earlier = build({ only: ['deb'], root: earlierCheckout() })
})

it('lintian has nothing to say', () => {
  const { stdout, stderr } = spawnSync(
    'lintian',
    ['--allow-root', '--fail-on', 'error,warning', fileIn(packages, '_all.deb')],
    { encoding: 'utf8' },
  )
  expect(`${stdout}${stderr}`).toBe('')
})

it('the client has nothing of the service, and no path of the builder', () => {
  const list = execFileSync('dpkg-deb', ['--contents', fileIn(packages, '_all.deb')], { encoding: 'utf8' })
  expect(list).not.toMatch(/serve\.cjs|admin\.cjs|holdfast-service/)
  expect(linesWith(process.cwd(), fileIn(packages, '_all.deb'))).toBe('0')
})

describe.skipIf(typeof made === 'string').each(['full', 'minimal'] as const)(
  'the client on a Debian with the %s root',
  (kind) => {
    let machine: Machine
    const ok = (command: string): string => {
      const { code, stdout, stderr } = machine.sh(command)
      if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`)
      return stdout.trim()
    }
    const asked = (): readonly string[] =>
      serviceIn(machine)
        .asked()
        .map(({ myip }) => myip)
    const install = (folder: string): string =>
      ok(`dpkg -i /packages/${basename(fileIn(folder, '_all.deb'))}`)
    const show = (property: string): string => ok(`systemctl show -P ${property} holdfast`)

    beforeAll(async () => {
      const roots = made as Roots
      machine = await boot(roots[kind], {
        [fileIn(packages, '_all.deb')]: `/packages/${basename(fileIn(packages, '_all.deb'))}`,
        [fileIn(earlier, '_all.deb')]: `/packages/${basename(fileIn(earlier, '_all.deb'))}`,
      })
      serviceIn(machine).start()
      ok('ip link add wire type veth peer name other; ip link set wire up; ip link set other up')
      ok('ip address add 11.2.3.1/32 dev wire')
    })
    afterAll(async () => machine?.stop())

    it('is installed, and says what to do; nothing is started', () => {
      expect(install(earlier)).toContain('set it up with: sudo holdfast init')
      expect(ok('holdfast --version')).toBe(OLD_VERSION)
      expect(machine.sh('systemctl is-enabled holdfast').stdout.trim()).toBe('disabled')
      expect(ok('ls /usr/share/man/man1/holdfast.1.gz /usr/share/man/man5/holdfast.toml.5.gz')).toContain(
        'holdfast.1',
      )
      expect(
        ok(
          'systemd-analyze verify /usr/lib/systemd/system/holdfast*.service /usr/lib/systemd/system/holdfast*.timer',
        ),
      ).toBe('')
    })

    it('is set up and runs with its own unit', async () => {
      ok('printf %s swordfish > /password')
      ok(
        `HOLDFAST_VERIFY=no holdfast init --server ${SERVICE} --username abc --password-file /password --hostname a.example.test --publish ipv4 --no-detect --yes`,
      )
      ok(
        `printf 'sources = ["interfaces"]\\nagreement = "one"\\nverify = false\\n' | cat - /etc/holdfast/holdfast.toml > /new; cp /new /etc/holdfast/holdfast.toml`,
      )
      ok('holdfast config check')
      ok('systemctl enable --now holdfast')
      await eventually(() => show('StatusText')).toBe('1 of 1 hostnames confirmed')
      expect(show('FragmentPath')).toBe('/usr/lib/systemd/system/holdfast.service')
      expect(asked()).toEqual(['11.2.3.1'])
    })

    it('keeps what it knows over an upgrade while it runs, and a stop too', async () => {
      const before = show('MainPID')
      install(packages)
      await eventually(() => show('ActiveState')).toBe('active')
      expect(show('MainPID')).not.toBe(before)
      expect(ok('holdfast --version')).toBe(VERSION)
      expect(asked()).toEqual(['11.2.3.1'])

      serviceIn(machine).answers('badauth')
      ok('ip address add 11.2.3.2/32 dev wire; ip address del 11.2.3.1/32 dev wire')
      await eventually(() => ok('holdfast status || true')).toContain('badauth')
      install(earlier)
      install(packages)
      expect(ok('holdfast status || true')).toContain('badauth')
      expect(asked()).toEqual(['11.2.3.1', '11.2.3.2'])
      serviceIn(machine).answers('good')
      ok('holdfast resume; systemctl restart holdfast')
      await eventually(() => show('StatusText')).toBe('1 of 1 hostnames confirmed')
    })

    it('says which package has the service', () => {
      for (const command of [
        'holdfast serve --dev',
        'holdfast admin init',
        'holdfast service install --serve --dry-run',
      ])
        expect(machine.sh(command)).toMatchObject({
          code: 78,
          stderr: expect.stringContaining('the update service is the package holdfast-service') as string,
        })
    })

    it('is removed and installed again: settings and state stay', async () => {
      ok('dpkg -r holdfast')
      expect(machine.sh('systemctl is-active holdfast').stdout.trim()).not.toBe('active')
      expect(ok('ls /etc/holdfast')).toContain('holdfast.toml')
      install(packages)
      expect(ok('systemctl is-enabled holdfast; systemctl is-active holdfast')).toBe('enabled\nactive')
      ok('systemctl disable holdfast; holdfast service install')
      await eventually(() => show('StatusText')).toBe('1 of 1 hostnames confirmed')
      expect(show('FragmentPath')).toBe('/usr/lib/systemd/system/holdfast.service')
    })

    it('leaves nothing after a purge', () => {
      ok('dpkg -P holdfast')
      expect(ok(TRACES)).toBe('')
      expect(machine.sh('systemctl list-units --all --no-legend "holdfast*"').stdout).toBe('')
    })

    it('its folder and what is in it belong to root after an upgrade, also where systemd has made it', () => {
      ok('mkdir /etc/holdfast; echo old > /etc/holdfast/older.toml; chown -R 61187:61187 /etc/holdfast')
      expect(machine.sh(`dpkg -i /packages/${basename(fileIn(packages, '_all.deb'))}`)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(
          'holdfast: /etc/holdfast belonged to user 61187; it belongs to root now\n' +
            'holdfast: /etc/holdfast/older.toml was written by user 61187; it belongs to root now: check its contents\n',
        ) as string,
      })
      ok('chown 61200 /etc/holdfast/older.toml')
      expect(machine.sh('dpkg-reconfigure holdfast').stderr).toContain('older.toml was written by user 61200')
      expect(ok('stat -c "%u:%g" /etc/holdfast /etc/holdfast/older.toml')).toBe('0:0\n0:0')
      ok('rm /etc/holdfast/older.toml; dpkg -P holdfast')
      expect(ok(TRACES)).toBe('')
    })

    it('its folder belongs to root, also where the unit is started before it is set up', () => {
      install(packages)
      expect(machine.sh('systemctl start holdfast').code).not.toBe(0)
      expect(ok('journalctl --unit holdfast --lines 5')).toContain('set it up: sudo holdfast init')
      expect(ok('stat -c "%U %a" /etc/holdfast')).toBe('root 755')
      ok('systemctl reset-failed holdfast; dpkg -P holdfast')
      expect(ok(TRACES)).toBe('')
    })
  },
)
