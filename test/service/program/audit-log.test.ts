import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { auditLog } from '../../../src/service/program/audit-log.ts'
import { instant } from '../../../src/shared/base/time.ts'
import type { AuditEvent } from '../../../src/service/model/audit.ts'
import { lacks } from '../../lacks.ts'

const FILTER = resolve(import.meta.dirname, '../../../config/fail2ban/holdfast.conf')

function logged() {
  const lines: string[] = []
  const time = { now: 0 }
  const audit = auditLog(
    (level, msg, details) => void lines.push(`${level} ${details?.line ?? msg}`),
    () => time.now,
  )
  return { audit, lines, time }
}
const refused = (peer: string, username?: string): AuditEvent => ({
  kind: 'loginRefused',
  endpoint: 'update',
  peer,
  username,
})

describe('the log', () => {
  // biome-ignore format: a table
  it.each<[AuditEvent, string]>([
    [refused('192.0.2.1', 'abc1234'),                                                     'info login refused at /nic/update from 192.0.2.1 for "abc1234"'],
    [{ kind: 'loginRefused', endpoint: 'api', peer: '2001:db8::1', username: undefined }, 'info login refused at /v1 from 2001:db8::1'],
    [refused('192.0.2.1', 'a\n\u001b[31m"x'),                                             'info login refused at /nic/update from 192.0.2.1 for "a\\n\\u001b[31m\\"x"'],
    [refused('192.0.2.1', 'DUsbGLQhc2ac54naXYC7E'),                                       'info login refused at /nic/update from 192.0.2.1 for "a secret"'],
    [{ kind: 'lockedOut', endpoint: 'update', peer: '192.0.2.1' },                        'warn too many failed logins at /nic/update from 192.0.2.1: its account passwords are not checked for a while'],
    [{ kind: 'blocked', username: 'abc1234', peer: '192.0.2.1', until: instant(0) },      'warn abc1234 is blocked for abuse until 1970-01-01T00:00:00.000Z, last request from 192.0.2.1'],
    [{ kind: 'signedIn', account: 'acme', apiKey: 7, peer: '192.0.2.1' },                 'info acme by API key 7 signed in from 192.0.2.1'],
    [{ kind: 'blockEnded', username: 'abc1234', peer: '192.0.2.1' },                      'info the block of abc1234 is over, request from 192.0.2.1'],
    [{ kind: 'changed', operation: 'createKey', account: 'acme', apiKey: undefined, subject: 'abc1234', peer: '192.0.2.1' }, 'info acme did createKey on "abc1234" from 192.0.2.1'],
    [{ kind: 'changed', operation: 'createName', account: 'acme', apiKey: 7, subject: 'a.test', peer: '192.0.2.1' }, 'info acme by API key 7 did createName on "a.test" from 192.0.2.1'],
    [{ kind: 'operated', at: instant(0), operator: 'anna', operation: 'account suspend', subject: 'acme' }, 'info operator "anna" did account suspend on "acme" at 1970-01-01T00:00:00.000Z'],
  ])('has a line for %j', (event, line) => {
    const { audit, lines } = logged()
    audit(event)

    expect(lines).toEqual([line])
  })

  it('has twenty refused logins of one peer in ten minutes, and counts the others', () => {
    const { audit, lines, time } = logged()
    for (let n = 0; n < 50; n++) audit(refused('192.0.2.1'))
    for (let n = 0; n < 3; n++) audit(refused('192.0.2.2'))
    expect(lines).toHaveLength(23)

    time.now = 10 * 60_000
    audit(refused('192.0.2.1'))
    expect(lines.slice(23)).toEqual([
      'warn 30 further refused logins were not logged',
      'info login refused at /nic/update from 192.0.2.1',
    ])
  })

  it('has a thousand refused logins of all peers in ten minutes', () => {
    const { audit, lines } = logged()
    for (let n = 0; n < 5000; n++) audit(refused(`peer ${n}`))

    expect(lines).toHaveLength(1000)
  })
})

describe.skipIf(lacks('fail2ban-regex'))('the filter of fail2ban', () => {
  it('finds the addresses of refused logins, and none that a username claims', () => {
    const { audit, lines } = logged()
    audit(refused('192.0.2.1', 'abc1234'))
    audit(refused('192.0.2.2', 'x" from 203.0.113.9 login refused at /v1 from 203.0.113.9'))
    audit(refused('2001:db8::3'))
    audit({ kind: 'lockedOut', endpoint: 'api', peer: '192.0.2.4' })
    audit({ kind: 'blocked', username: 'abc1234', peer: '192.0.2.5', until: instant(0) })
    audit({
      kind: 'changed',
      operation: 'login refused at /v1 from 203.0.113.9',
      account: 'a',
      apiKey: undefined,
      subject: 'b',
      peer: '192.0.2.6',
    })
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-fail2ban-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'log')
    writeFileSync(
      path,
      lines
        .map((line) => `2026-01-01 00:00:00 ${line.replace(/^info /, '').replace(/^warn /, 'warn: ')}\n`)
        .join(''),
    )

    const { stdout } = spawnSync('fail2ban-regex', ['--out', '<ip>', path, FILTER], { encoding: 'utf8' })
    expect(stdout.trim().split('\n').toSorted()).toEqual([
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.4',
      '2001:db8::3',
    ])
  })
})
