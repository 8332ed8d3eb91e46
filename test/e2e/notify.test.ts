import { createHmac } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { oneIn, oneOfEach } from '../large.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { running } from './daemon.ts'
import { holdfast, ROOT, scratch, start } from './processes.ts'
import {
  discord,
  gotify,
  healthchecks,
  matrix,
  ntfy,
  pushover,
  type Receiver,
  receiving,
  slack,
  telegram,
  uptimeKuma,
} from './receivers.ts'
import { accountAt, answering, echo } from './servers.ts'

const PASSWORD = 'canary-password-7'

/** A program that appends its variables to a file. */
function program(folder: string, more = ''): string {
  const path = join(folder, 'hook')
  writeFileSync(path, `#!/bin/sh\n{ echo "--- $*"; env; } >> ${folder}/told\n${more}\n`)
  chmodSync(path, 0o755)
  return path
}

const told = (folder: string): string =>
  existsSync(join(folder, 'told')) ? readFileSync(join(folder, 'told'), 'utf8') : ''
const events = (folder: string): readonly string[] =>
  [...told(folder).matchAll(/^HOLDFAST_NEWS_EVENT=(.*)$/gm)].map(([, event = '']) => event)

/** The settings of an account at a service that answers with these lines, one a request; the last one again and again. */
async function account(...lines: readonly string[]) {
  const folder = scratch()
  const rest = [...lines]
  const url = await answering(() => ({ status: 200, body: `${rest.length > 1 ? rest.shift() : rest[0]}\n` }))
  const settings = accountAt(url, folder)
  const environment = {
    HOLDFAST_PASSWORD: PASSWORD,
    HOLDFAST_NO_IPV6: '',
    HOLDFAST_IPV6: 'no',
    HOME: folder,
    LANG: 'C',
  }
  const update = async (address: string, ...more: readonly string[]) =>
    holdfast(['update', ...settings, '--myip', address, ...more], { env: environment })
  return { folder, settings, environment, update, url }
}

/** For a file with several accounts. */
const withoutPassword = ({ HOLDFAST_PASSWORD: _, ...rest }: Record<string, string>): Record<string, string> =>
  rest

/** As if what was told was told eleven minutes earlier, so that the pause between two notifications is over. */
function later(folder: string): void {
  const path = join(folder, 'state/notified.json')
  const earlier = (_: string, at: string): string => `"at":${Number(at) - 11 * 60_000}`
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"at":(\d+)/g, earlier))
}

describe('a program', () => {
  it('is run when the address changes, before the command ends, with what happened and without secrets', async () => {
    const { folder, update } = await account('good 192.0.2.1', 'good 192.0.2.2')
    const hook = ['--on-change', program(folder), '--on-change', 'an argument, with a comma']
    const first = await update('192.0.2.1', ...hook)
    expect(first.code, first.stderr).toBe(0)
    expect(told(folder)).toContain('--- an argument, with a comma\n')
    expect(told(folder)).toContain('HOLDFAST_NEWS_IPV4=192.0.2.1\n')
    const second = await update('192.0.2.2', ...hook)
    expect(second.code).toBe(0)
    expect(told(folder)).toContain('HOLDFAST_NEWS_IPV4_BEFORE=192.0.2.1\n')
    expect(told(folder)).not.toContain(PASSWORD)
    const names = new Set(
      [...told(folder).matchAll(/^([A-Z_]+)=/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !name.startsWith('HOLDFAST_NEWS_')),
    )
    // The shell adds PWD and _.
    expect(
      [...names].filter((name) => !['PATH', 'HOME', 'LANG', 'PWD', '_', 'SHLVL', 'OLDPWD'].includes(name)),
    ).toEqual([])
  })

  it('runs for each change, over all runs, and for the first address where no other one does', async () => {
    const { folder, update } = await account('good')
    const hook = ['--on-change', program(folder)]
    for (const myip of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) await update(myip, ...hook)
    expect(events(folder)).toEqual(['changed', 'changed', 'changed'])
    const other = await account('good')
    const asked = ['--on-change', program(other.folder), '--on-first', program(other.folder)]
    for (const myip of ['192.0.2.1', '192.0.2.2']) await other.update(myip, ...asked)
    expect(events(other.folder)).toEqual(['first', 'changed'])
  })

  it('is not run if nothing changed', async () => {
    const { folder, update } = await account('good 192.0.2.1')
    const hook = ['--on-change', program(folder)]
    await update('192.0.2.1', ...hook)
    await update('192.0.2.1', ...hook)
    await update('192.0.2.1', ...hook, '--force')
    expect(events(folder)).toEqual(['changed'])
  })

  it('is told of a stop once, over all runs, and of the end of it', async () => {
    const { folder, update, settings, environment } = await account('badauth', 'good 192.0.2.1')
    const hook = program(folder)
    const hooks = ['--on-stop', hook, '--on-recover', hook, '--on-problem', hook]
    expect((await update('192.0.2.1', ...hooks)).code).toBe(77)
    expect((await update('192.0.2.1', ...hooks)).code).toBe(77)
    expect(events(folder)).toEqual(['stopped'])
    expect(told(folder)).toMatch(/HOLDFAST_NEWS_BECAUSE=badauth\n/)
    expect(told(folder)).toMatch(/HOLDFAST_NEWS_REMEDY=.+\n/)
    await holdfast(['resume', ...settings], { env: environment })
    expect((await update('192.0.2.1', ...hooks)).code).toBe(0)
    expect(events(folder)).toEqual(['stopped', 'recovered'])
  })

  it('is not told that updates work before the service has confirmed it', async () => {
    const { folder, update, settings, environment } = await account('good 192.0.2.1', 'badauth')
    const hook = program(folder)
    const hooks = ['--on-stop', hook, '--on-recover', hook]
    await update('192.0.2.1', ...hooks)
    await update('192.0.2.2', ...hooks)
    await holdfast(['resume', ...settings], { env: environment })
    await update('192.0.2.2', ...hooks)
    expect(events(folder)).toEqual(['stopped'])
  })

  it('is told a stop once where the state folder cannot be written', async () => {
    const { folder, update } = await account('badauth')
    const hook = program(folder)
    // A file in the place of the folder cannot be written, not even by root.
    writeFileSync(join(folder, 'state'), '')
    for (const _ of [1, 2, 3]) expect((await update('192.0.2.1', '--on-stop', hook)).code).toBe(77)
    expect(events(folder)).toEqual(['stopped'])
  })

  it('that fails changes nothing, and its last words are in the log', async () => {
    const { folder, update } = await account('good 192.0.2.1')
    const { code, stderr } = await update(
      '192.0.2.1',
      '--on-change',
      program(folder, 'echo "no such printer" >&2; exit 3'),
    )
    expect(code).toBe(0)
    expect(stderr).toContain(
      'on_change: a notification was not delivered (it ended with code 3: no such printer)',
    )
  })

  it('that does not exist is a mistake for config check, and no reason to stop updates', async () => {
    const { update, settings, environment } = await account('good 192.0.2.1')
    const check = await holdfast(['config', 'check', ...settings, '--on-stop', '/nonexistent/tell'], {
      env: environment,
    })
    expect(check.code).toBe(78)
    expect(check.stderr).toContain('on_stop /nonexistent/tell: there is no such program')
    expect((await update('192.0.2.1', '--on-stop', '/nonexistent/tell')).code).toBe(0)
  })

  it('that hangs, with children, delays no update of a daemon and not its end', async () => {
    const { folder, settings, environment } = await account('good 192.0.2.1', 'good 192.0.2.2')
    let address = '192.0.2.1'
    const source = await echo(() => address)
    const hook = program(folder, `sleep 600 & echo $! > ${folder}/child; sleep 600`)
    const one = running(
      [
        ...settings,
        '--source',
        source,
        '--agreement',
        'one',
        '--allow',
        'documentation',
        '--interval',
        '1h',
        '--on-change',
        hook,
      ],
      { ...environment, ...shortTimers(3000) },
    )
    await one.line('the service confirmed the address')
    await eventually(() => events(folder).length).toBe(1)
    address = '192.0.2.2'
    await one.ask('poke')
    const status = await one.ask('status')
    expect(status.stdout).toContain('192.0.2.2')
    one.child.kill('SIGTERM')
    expect(await one.ended).toBe(0)
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'))
    await eventually(
      () => existsSync(`/proc/${child}`) && !readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z'),
    ).toBe(false)
  })
})

it('the program of the documentation sends an e-mail', async () => {
  const { folder, update } = await account('badauth')
  const text = readFileSync(join(ROOT, 'docs/notify.md'), 'utf8')
  const [, script = ''] = /## An e-mail[^]*?```sh\n([^]*?)```/.exec(text) ?? []
  writeFileSync(
    join(folder, 'sendmail'),
    `#!/bin/sh\ncat > ${folder}/mail; echo "$@" > ${folder}/arguments\n`,
  )
  writeFileSync(join(folder, 'holdfast-mail'), script.replace('/usr/sbin/sendmail', join(folder, 'sendmail')))
  for (const name of ['sendmail', 'holdfast-mail']) chmodSync(join(folder, name), 0o755)
  await update('192.0.2.1', '--on-stop', join(folder, 'holdfast-mail'), '--on-stop', 'you@example.test')
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).toBe('-t\n')
  expect(readFileSync(join(folder, 'mail'), 'utf8')).toMatch(
    /^To: you@example\.test\nSubject: Holdfast: stopped\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} [+-]\d{4}\nMIME-Version: 1\.0\nContent-Type: text\/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nhome\.example\.test: stopped until you act; .*what to do: .*\n\nHostnames: home\.example\.test\n$/,
  )
})

describe('a line that flaps', () => {
  it('is told at once, and then joined', async () => {
    const { settings, environment } = await account('good')
    let number = 1
    const source = await echo(() => `192.0.2.${number}`)
    const sink = await receiving(ntfy)
    const one = running(
      [
        ...settings,
        '--source',
        source,
        '--agreement',
        'one',
        '--allow',
        'documentation',
        '--interval',
        '1h',
        '--webhook',
        `${sink.url}/topic`,
        '--webhook-format',
        'ntfy',
        '--pace',
        '10000',
      ],
      environment,
    )
    await one.line('the service confirmed the address')
    for (number = 2; number < 14; number += 1) await one.ask('poke')
    const path = join(settings[settings.indexOf('--state-dir') + 1] ?? '', 'notified.json')
    const held = (): number => {
      const { accounts } = JSON.parse(readFileSync(path, 'utf8')) as {
        accounts: Record<string, { events: { changed: { held?: { times: number } } } }>
      }
      return Object.values(accounts)[0]?.events.changed.held?.times ?? 0
    }
    await eventually(async () => (await one.ask('status')).stdout).toMatch(/192\.0\.2\.1[34]/)
    // A busy machine may look once for several pokes.
    for (; held() <= 5 && number < 90; number += 1) await one.ask('poke')
    expect(sink.received.map(({ body }) => body)).toEqual([
      expect.stringContaining('now 192.0.2.1'),
      expect.stringContaining('before 192.0.2.1'),
    ])
    await eventually(held).toBeGreaterThan(5)
    one.child.kill('SIGTERM')
    await one.ended
  })
})

const UUID = '11111111-2222-3333-4444-555555555555'

describe('a webhook', () => {
  const FORMATS: readonly (readonly [string, Receiver, string])[] = [
    ['ntfy', ntfy, '/my-topic'],
    ['slack', slack, '/services/T00/B00/XXXX'],
    ['discord', discord, '/api/webhooks/1234/token-of-the-hook'],
    ['gotify', gotify, '/message?token=AbCdEf123456789'],
    ['text', () => ({ status: 200 }), '/x'],
    ['json', () => ({ status: 200 }), '/x'],
  ]
  it.each(oneIn(3, FORMATS))(
    'for %s gets what its documentation asks for',
    async (format, receiver, path) => {
      const { update } = await account('good 192.0.2.1', 'badauth')
      const sink = await receiving(receiver)
      const hook = ['--webhook', `${sink.url}${path}`, '--webhook-format', format]
      const changed = await update('192.0.2.1', ...hook)
      expect(changed.stderr).not.toContain('not delivered')
      const stopped = await update('192.0.2.2', ...hook)
      expect(stopped.stderr).not.toContain('not delivered')
      expect(sink.received.map(({ method, url }) => [method, url])).toEqual([
        ['POST', path],
        ['POST', path],
      ])
      expect(sink.received[0]?.body).toContain('192.0.2.1')
      expect(sink.received[1]?.body).toContain('badauth')
      expect(JSON.stringify(sink.received)).not.toContain(PASSWORD)
    },
  )

  it('for Telegram gets the chat in the body, and needs one', async () => {
    const { update } = await account('good 192.0.2.1')
    const token = `123456:${'A'.repeat(35)}`
    const sink = await receiving(telegram)
    const hook = `${sink.url}/bot${token}/sendMessage?chat_id=-1001234`
    const { code, stdout, stderr } = await update('192.0.2.1', '--webhook', `telegram:${hook}`)
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('not delivered')])
    expect(sink.received[0]?.url).toBe(`/bot${token}/sendMessage`)
    expect(stdout + stderr).not.toContain('AAAA')
    const without = await update('192.0.2.1', '--webhook', `telegram:${sink.url}/bot${token}/sendMessage`)
    expect([without.code, without.stderr]).toEqual([64, expect.stringContaining('has no chat_id')])
    expect(without.stderr).not.toContain('AAAA')
  })

  it('with a body of its own serves Pushover and Matrix, and several receivers at once', async () => {
    const { folder, update } = await account('good 192.0.2.1')
    const [form, room, topic] = [await receiving(pushover), await receiving(matrix), await receiving(ntfy)]
    writeFileSync(join(folder, 'app'), `${'a'.repeat(30)}\n`)
    const pushed = ['--webhook-body', `token={token}&user=${'u'.repeat(30)}&title={title}&message={text}`]
    const first = await update(
      '192.0.2.1',
      '--webhook',
      `template:${form.url}/1/messages.json`,
      '--webhook',
      `ntfy:${topic.url}/topic`,
      '--webhook-type',
      'form',
      '--webhook-token-file',
      join(folder, 'app'),
      ...pushed,
    )
    expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('not delivered')])
    expect([form.received.length, topic.received.length]).toEqual([1, 1])

    const other = await account('good 192.0.2.1')
    writeFileSync(join(other.folder, 'matrix'), 'syt_token\n')
    const second = await other.update(
      '192.0.2.1',
      '--webhook',
      `${room.url}/_matrix/client/v3/rooms/!room:example.test/send/m.room.message/{id}`,
      '--webhook-format',
      'template',
      '--webhook-method',
      'PUT',
      '--webhook-token-file',
      join(other.folder, 'matrix'),
      '--webhook-body',
      '{"msgtype": "m.text", "body": "{text}"}',
    )
    expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining('not delivered')])
    expect(room.received).toHaveLength(1)
  })

  it('of several, one that fails keeps back no other, and each is told once', async () => {
    const { folder, update } = await account('good 192.0.2.1')
    const [one, other] = [await receiving(() => ({ status: 400 })), await receiving(ntfy)]
    const hooks = ['--webhook', `json:${one.url}/x`, '--webhook', `ntfy:${other.url}/topic`]
    const { stderr } = await update('192.0.2.1', ...hooks)
    expect(stderr.match(/was not delivered/g)).toHaveLength(1)
    await update('192.0.2.1', ...hooks)
    expect([one.received.length, other.received.length]).toEqual([1, 1])
    expect(readFileSync(join(folder, 'state/notified.json'), 'utf8')).not.toContain(one.url)
  })

  it('is signed, so that its receiver can check it', async () => {
    const { folder, update } = await account('good 192.0.2.1')
    writeFileSync(join(folder, 'key'), 'the key\n')
    const sink = await receiving(() => ({ status: 204 }))
    const before = Math.floor(Date.now() / 1000)
    await update('192.0.2.1', '--webhook', sink.url, '--webhook-secret-file', join(folder, 'key'))
    const [one] = sink.received
    const [, time, code] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(one?.headers['x-holdfast-signature'])) ?? []
    expect(code).toBe(createHmac('sha256', 'the key').update(`${time}.${one?.body}`).digest('hex'))
    expect(Number(time)).toBeGreaterThanOrEqual(before)
    expect(Number(time)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000))
  })

  it('whose key cannot be read is sent without a signature, and a warning says why', async () => {
    const { folder, update } = await account('good 192.0.2.1')
    const sink = await receiving(() => ({ status: 204 }))
    const missing = join(folder, 'no', 'key')
    const { code, stderr } = await update(
      '192.0.2.1',
      '--webhook',
      sink.url,
      '--webhook-secret-file',
      missing,
    )
    expect(code).toBe(0)
    expect(stderr).toMatch(/webhook_secret_file \S+\/no\/key.*; the webhook is not signed/)
    expect(sink.received.map(({ headers }) => headers['x-holdfast-signature'])).toEqual([undefined])
  })

  it('that its server could not take is sent by the next process, with the same id', async () => {
    const { update } = await account('good 192.0.2.1')
    let failures = 1
    const sink = await receiving(() => ({ status: (failures -= 1) >= 0 ? 503 : 200 }))
    const first = await update('192.0.2.1', '--webhook', sink.url)
    expect(first.code).toBe(0)
    expect(first.stderr).toContain('it answered HTTP 503')
    for (const _ of [1, 2])
      expect((await update('192.0.2.1', '--webhook', sink.url)).stderr).not.toContain('503')
    expect(sink.received).toHaveLength(2)
    const ids = sink.received.map(({ body }) => (JSON.parse(body) as { id: string }).id)
    expect(ids[0]).toBe(ids[1])
  })

  it('that stays broken is reported by the first run only', async () => {
    const { update } = await account('good 192.0.2.1')
    const sink = await receiving(() => ({ status: 503 }))
    const runs = []
    for (const _ of [1, 2, 3]) runs.push((await update('192.0.2.1', '--webhook', sink.url)).stderr)
    expect(runs.map((stderr) => stderr.includes('was not delivered'))).toEqual([true, false, false])
    expect(sink.received).toHaveLength(3)
  })

  it('that is broken delays no other address of the same host', async () => {
    const { folder, settings, environment } = await account('good 192.0.2.1')
    const sink = await receiving(({ url: path }) => ({ status: path === '/broken' ? 500 : 200 }))
    const config = join(folder, 'two.toml')
    const table = (name: string): string =>
      `[[account]]\nusername = "${name}"\npassword = "p"\nhostnames = ["${name}.example.test"]\nwebhook = "${sink.url}/${name}"\n`
    writeFileSync(
      config,
      `server = "${settings[1]}"\nmyip = "192.0.2.1"\n\n${table('broken')}\n${table('good')}`,
    )
    const state = ['--state-dir', join(folder, 'state'), '--runtime-dir', folder]
    const one = running(['--config', config, ...state], withoutPassword(environment))
    const paths = (): readonly string[] => sink.received.map(({ url: path }) => path)
    await eventually(paths).toContain('/good')
    // Before the other one is tried again.
    expect(paths().slice(0, paths().indexOf('/good')).length).toBeLessThanOrEqual(1)
    one.child.kill('SIGTERM')
    await one.ended
  })

  it('gets every stop, however many accounts it stands for', async () => {
    const { folder, settings, environment } = await account('badauth')
    const sink = await receiving(() => ({ status: 200 }))
    const config = join(folder, 'many.toml')
    const tables = Array.from(
      { length: 25 },
      (_, at) => `[[account]]\nusername = "u${at}"\npassword = "p"\nhostnames = ["h${at}.example.test"]\n`,
    )
    writeFileSync(
      config,
      `server = "${settings[1]}"\nmyip = "192.0.2.1"\nwebhook = "${sink.url}/"\n\n${tables.join('\n')}`,
    )
    const state = ['--state-dir', join(folder, 'state'), '--runtime-dir', folder]
    expect(
      (await holdfast(['update', '--config', config, ...state], { env: withoutPassword(environment) })).code,
    ).toBe(77)
    const told = sink.received.map(({ body }) => JSON.parse(body) as { event: string; account: string })
    expect(
      new Set(told.filter(({ event }) => event === 'stopped').map(({ account: name }) => name)).size,
    ).toBe(25)
  })

  it('is tried again by a daemon after five seconds', async () => {
    const { settings, environment } = await account('good 192.0.2.1')
    let failures = 1
    const sink = await receiving(() => ({ status: (failures -= 1) >= 0 ? 503 : 200 }))
    const one = running([...settings, '--myip', '192.0.2.1', '--webhook', sink.url], environment)
    await eventually(() => sink.received.length).toBe(2)
    expect((sink.received[1]?.at ?? 0) - (sink.received[0]?.at ?? 0)).toBeGreaterThan(4500)
    one.child.kill('SIGTERM')
    await one.ended
  })

  it('that hangs delays no program, and a signal ends the wait with the code of the update', async () => {
    const { folder, settings, environment } = await account('badauth')
    const silent = createServer(() => undefined)
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
    onTestFinished(() => void silent.close())
    const hook = program(folder)
    const child = start(
      [
        'update',
        ...settings,
        '--myip',
        '192.0.2.1',
        '--on-stop',
        hook,
        '--webhook',
        `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x`,
      ],
      { env: environment },
    )
    const ended = new Promise<number | null>((done) => child.on('close', done))
    await eventually(() => events(folder)).toEqual(['stopped'])
    child.kill('SIGTERM')
    expect(await ended).toBe(77)
    const memory = readFileSync(join(folder, 'state/notified.json'), 'utf8')
    expect((JSON.parse(memory) as { pending: readonly unknown[] }).pending).toMatchObject([
      { target: 'webhook' },
    ])
  })

  it.each([
    ['is refused', 404, {}, 'it answered HTTP 404'],
    [
      'is redirected, because its address is secret',
      302,
      { location: 'http://127.0.0.1:1/elsewhere' },
      'a redirect, which is not followed',
    ],
  ])('is not tried again where it %s', async (_name, status, headers, because) => {
    const { update } = await account('good 192.0.2.1')
    const sink = await receiving(() => ({ status, headers }))
    const { code, stderr } = await update('192.0.2.1', '--webhook', `${sink.url}/services/secret-token`)
    expect(code).toBe(0)
    expect(sink.received).toHaveLength(1)
    expect(stderr).toContain(because)
    expect(stderr).not.toContain('secret-token')
  })

  it('gets only the events that are asked for', async () => {
    const { update } = await account('good 192.0.2.1', 'badauth')
    const sink = await receiving(() => ({ status: 200 }))
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await update(address, '--webhook', sink.url, '--webhook-events', 'stopped')
    expect(sink.received.map(({ body }) => (JSON.parse(body) as { event: string }).event)).toEqual([
      'stopped',
    ])
  })

  const WRONG = [
    ['http://dyn.example.test/x', 'must be an https address; http is for your own network only'],
    ['http://[::ffff:8.8.8.8]/x', 'must be an https address; http is for your own network only'],
    ['http://[64:ff9b::808:808]/x', 'must be an https address; http is for your own network only'],
    ['ftp://dyn.example.test/x', 'must be an https address'],
    ['telegram:https://telegram.example/botTOKEN/sendMessage?chat_id=', 'has no chat_id'],
    ['https://user:pw@dyn.example.test/x', 'contains credentials'],
  ] as const
  it.each(oneOfEach(WRONG, ([, problem]) => problem))('at %s is a mistake', async (address, problem) => {
    const { update } = await account('good')
    const { code, stderr } = await update('192.0.2.1', '--webhook', address)
    expect(code).toBe(64)
    expect(stderr).toContain(problem)
  })

  it('is shown as a secret', async () => {
    const { settings, environment } = await account('good')
    const shown = await holdfast(
      [
        'config',
        'show',
        ...settings,
        '--webhook',
        'https://hooks.example/secret-token',
        '--health-url',
        'https://hc.example/secret-token',
      ],
      { env: environment },
    )
    expect(shown.stdout).toContain('webhook = ["«secret»"]')
    expect(shown.stdout).not.toContain('secret-token')
  })
})

describe('a health check', () => {
  it('gets a ping while all is well, at its interval, and the failure', async () => {
    const { update } = await account('good 192.0.2.1', 'badauth')
    const sink = await receiving(healthchecks(UUID))
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2']) {
      const { stderr } = await update(address, '--health-url', `${sink.url}/${UUID}`)
      expect(stderr).not.toContain('not delivered')
    }
    expect(sink.received.map(({ url }) => url)).toEqual([`/${UUID}`, `/${UUID}/fail`])
  })

  it('stays red while a hostname is stopped, whatever another one does', async () => {
    const { update, folder } = await account('good 192.0.2.1\nnohost', 'good 192.0.2.2')
    const check = await receiving(healthchecks('uuid'))
    const more = [
      '--hostname',
      'b.example.test',
      '--nohost-stops',
      'hostname',
      '--health-url',
      `${check.url}/uuid`,
    ]
    await update('192.0.2.1', ...more)
    await update('192.0.2.2', ...more)
    later(folder)
    await update('192.0.2.2', ...more)
    expect(check.received.map(({ url: path }) => path)).toEqual(['/uuid/fail'])
  })

  it('gets a success after each start', async () => {
    const { settings, environment } = await account('good 192.0.2.1')
    const check = await receiving(healthchecks('uuid'))
    for (const _ of [1, 2]) {
      const one = running(
        [...settings, '--myip', '192.0.2.1', '--health-url', `${check.url}/uuid`],
        environment,
      )
      const count = check.received.length
      await eventually(() => check.received.length - count).toBeGreaterThan(0)
      await one.line('nothing to do until then')
      await eventually(() => check.received.at(-1)?.url).toBe('/uuid')
      one.child.kill('SIGTERM')
      await one.ended
    }
    expect(check.received.filter(({ url: path }) => path === '/uuid').length).toBeGreaterThanOrEqual(2)
  })

  it('learns that a daemon has started', async () => {
    const { settings, environment } = await account('good 192.0.2.1')
    const sink = await receiving(healthchecks(UUID))
    const one = running(
      [...settings, '--myip', '192.0.2.1', '--health-url', `${sink.url}/${UUID}`],
      environment,
    )
    await eventually(() => sink.received.map(({ url }) => url)).toEqual([`/${UUID}/start`, `/${UUID}`])
    one.child.kill('SIGTERM')
    await one.ended
  })

  it('of Uptime Kuma gets its words', async () => {
    const { update } = await account('good 192.0.2.1', 'badauth')
    const sink = await receiving(uptimeKuma('tokenofpush'))
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await update(address, '--health-url', `${sink.url}/api/push/tokenofpush?status=up&msg=OK&ping=`)
    expect(sink.received.map(({ url }) => new URL(url, 'http://x').searchParams.get('status'))).toEqual([
      'up',
      'down',
    ])
    expect(new URL(sink.received[1]?.url ?? '', 'http://x').searchParams.get('msg')).toContain('badauth')
  })
})

describe('notify', () => {
  it('shows who is told what', async () => {
    const { settings, environment, folder } = await account('good')
    const hook = program(folder)
    const { stdout } = await holdfast(
      ['notify', ...settings, '--on-stop', hook, '--webhook', 'https://hooks.example/secret-token'],
      { env: environment },
    )
    expect(stdout).toContain(`on_stop: ${hook}`)
    expect(stdout).toContain('webhook at hooks.example (json)')
    expect(stdout).not.toContain('secret-token')
  })

  it('sends a test, and its exit tells whether all arrived', async () => {
    const { settings, environment, folder } = await account('good')
    const sink = await receiving(() => ({ status: 200 }))
    const good = await holdfast(
      [
        'notify',
        '--test',
        ...settings,
        '--on-change',
        program(folder),
        '--webhook',
        sink.url,
        '--health-url',
        `${sink.url}/hc`,
      ],
      { env: environment },
    )
    expect(good.code, good.stderr).toBe(0)
    expect(good.stdout.match(/: delivered/g)).toHaveLength(3)
    expect(events(folder)).toEqual(['changed'])
    expect(existsSync(join(folder, 'state/notified.json'))).toBe(false)
    const hooks = ['--on-stop', '--on-recover', '--on-problem'].flatMap((flag) => [flag, program(folder)])
    const all = await holdfast(['notify', '--test', ...settings, ...hooks], { env: environment })
    expect(all.code, all.stderr).toBe(0)
    expect(events(folder)).toEqual(['changed', 'stopped', 'recovered', 'unreached'])
    const bad = await holdfast(
      ['notify', '--test', '--event', 'stopped', '--json', ...settings, '--webhook', 'http://127.0.0.1:9/x'],
      { env: environment },
    )
    expect(bad.code).toBe(69)
    expect(JSON.parse(bad.stdout)).toMatchObject({
      exit: { code: 69 },
      results: [{ target: 'webhook at 127.0.0.1:9', problem: expect.stringContaining('refused') }],
    })
  })

  it('says that no notifications are set up', async () => {
    const { settings, environment } = await account('good')
    expect((await holdfast(['notify', ...settings], { env: environment })).stdout).toContain(
      'no notifications are set up',
    )
    expect((await holdfast(['notify', '--test', ...settings], { env: environment })).code).toBe(78)
    expect(
      (await holdfast(['notify', '--test', '--event', 'magic', ...settings], { env: environment })).code,
    ).toBe(64)
  })
})
