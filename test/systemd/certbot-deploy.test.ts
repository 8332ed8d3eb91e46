import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

/**
 * The hook with a systemctl and a journal that stand for a machine: the service starts if its certificate and its key
 * belong together, and if its settings are those of the sockets that systemd passes. test/packages has the real one.
 */
const HOOK = readFileSync(new URL('../../systemd/hooks/certbot-deploy', import.meta.url), 'utf8')
const TLS_FOLDER = '/etc/holdfast/tls'
const FILES = ['fullchain.pem', 'privkey.pem'] as const

/** What the service says of these (src/service/program/http). */
const SOCKETS = 'systemd passes 2 sockets, and listen has 3 entries'
const CERTIFICATE = 'tls_cert contains no certificate'

const SYSTEMCTL = (folder: string): string => `#!/bin/sh
echo "systemctl $*" >> ${folder}/calls
case " $* " in
*" is-active "*) test ! -e ${folder}/stopped; exit ;;
*" restart "*|*" try-restart "*|*" start "*|*" reload-or-restart "*) ;;
*) exit 0 ;;
esac
fail() { echo "holdfast-service: $1" >> ${folder}/journal; touch ${folder}/failed; exit 1; }
test ! -e ${folder}/edited || fail "${SOCKETS}"
openssl x509 -noout -in ${folder}/tls/fullchain.pem 2>/dev/null || fail "${CERTIFICATE}"
test "$(openssl x509 -noout -pubkey -in ${folder}/tls/fullchain.pem)" = \
  "$(openssl pkey -pubout -in ${folder}/tls/privkey.pem)" || fail "tls_key is not the key of the certificate"
rm -f ${folder}/failed
cp ${folder}/tls/fullchain.pem ${folder}/served
`
/** Whatever lines are asked for: the hook cannot ask for more than there are. */
const JOURNALCTL = (folder: string): string => `#!/bin/sh
cat ${folder}/journal 2>/dev/null || true
`

function pair(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const [cert, key] = FILES.map((file) => join(folder, file))
  const out = ['-keyout', key ?? '', '-out', cert ?? '', '-subj', `/CN=${name}`]
  execFileSync('openssl', ['req', '-x509', ...curve, ...out], { stdio: 'pipe' })
}

/** A machine whose service runs with the certificate of one.test; its renewed one is that of two.test. */
function machine({ hasOld = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-hook-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [bin, tls, renewed] = [join(folder, 'bin'), join(folder, 'tls'), join(folder, 'renewed')]
  mkdirSync(bin)
  for (const [name, text] of [
    ['systemctl', SYSTEMCTL(folder)],
    ['journalctl', JOURNALCTL(folder)],
  ] as const) {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
  if (hasOld) pair(tls, 'one.test')
  pair(renewed, 'two.test')
  const hook = join(folder, 'hook')
  writeFileSync(hook, HOOK.replaceAll(TLS_FOLDER, tls))
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, RENEWED_LINEAGE: renewed }
  return {
    renewed,
    /** Between the edit of the settings and the restart of the socket. */
    edit: () => writeFileSync(join(folder, 'edited'), ''),
    restartSocket: () => rmSync(join(folder, 'edited')),
    run: () => spawnSync('sh', [hook], { env, encoding: 'utf8' }),
    systemctl: (...args: readonly string[]) => spawnSync('systemctl', args, { env, encoding: 'utf8' }).status,
    /** The name in the certificate of the folder; undefined without one. */
    inFolder: () => nameIn(join(tls, 'fullchain.pem')),
    served: () => nameIn(join(folder, 'served')),
  }
}

function nameIn(path: string): string | undefined {
  const { stdout } = spawnSync('openssl', ['x509', '-noout', '-subject', '-in', path], { encoding: 'utf8' })
  return /CN ?= ?(\S+)/.exec(stdout)?.[1]
}

it('the hook has the folder that this test replaces', () => expect(HOOK).toContain(TLS_FOLDER))

describe('the hook of certbot', () => {
  it('puts a renewed certificate into use', () => {
    const one = machine()
    expect(one.run().status).toBe(0)
    expect([one.inFolder(), one.served()]).toEqual(['two.test', 'two.test'])
  })

  it.each([
    ['no certificate', 'fullchain.pem', 'no certificate'],
    ['no key', 'privkey.pem', 'no key'],
  ] as const)('does not keep %s, and the one before is in use', (_, file, text) => {
    const one = machine()
    writeFileSync(join(one.renewed, file), text)
    const { status, stderr } = one.run()
    expect([status, one.inFolder(), one.served()]).toEqual([1, 'one.test', 'one.test'])
    expect(stderr).toContain('one before is in use again')
  })

  it.each([
    ['with a certificate before', true],
    ['without one', false],
  ])(
    'between an edit of the settings and the restart of the socket keeps the new certificate: %s',
    (_, hasOld) => {
      const one = machine({ hasOld })
      one.edit()
      const { status, stderr } = one.run()
      expect(status).not.toBe(0)
      expect(one.inFolder()).toBe('two.test')
      // It says the reason of the journal, and does not blame the certificate.
      expect(stderr).toContain(SOCKETS)
      expect(stderr).not.toMatch(/not kept|does not start with the certificate/)

      // So the restart of the documents works then.
      one.restartSocket()
      expect([
        one.systemctl('restart', 'holdfast-service.socket', 'holdfast-service.service'),
        one.served(),
      ]).toEqual([0, 'two.test'])
    },
  )

  it('says the reason of the journal for a certificate too', () => {
    const one = machine()
    writeFileSync(join(one.renewed, 'fullchain.pem'), 'no certificate')
    expect(one.run().stderr).toContain(CERTIFICATE)
  })
})
