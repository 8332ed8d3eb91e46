import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { env } from './daemon.ts'
import { clientOf, holdfast, scratch, service, start } from './processes.ts'
import { answering, echo } from './servers.ts'

/** A label is 63 octets at most (RFC 1035 §2.3.4): nobody is asked for this one. */
const NOWHERE = 'x'.repeat(70)

const localhost = (url: string): string => url.replace('127.0.0.1', 'localhost')

describe('holdfast detect', () => {
  it('needs no account, asks everybody, and shows who agrees', async () => {
    const [x, y] = [await echo(() => '8.8.8.8'), localhost(await echo(() => '8.8.8.8'))]

    const { code, stdout } = await holdfast(['detect', '--no-ipv6', '--source', `${x},${y}`])

    expect(code).toBe(0)
    expect(stdout).toMatch(/127\.0\.0\.1 +IPv4 +8\.8\.8\.8 +\d+ ms +agrees/)
    expect(stdout).toContain(`IPv4: 8.8.8.8 (${x} and ${y} agree)`)
  })

  it('says what would be sent and why, and sends nothing', async () => {
    const at = await service('--log-level', 'debug')
    const args = [...clientOf(at, scratch()), '--no-ipv6', '--source', await echo(() => '8.8.8.8')]

    const { stdout } = await holdfast(['detect', ...args, '--json'])

    expect(JSON.parse(stdout)).toMatchObject({
      conclusions: [{ family: 'v4', address: '8.8.8.8' }],
      wouldSend: [
        { hostname: 'home.example.test', message: '8.8.8.8 would be sent, because nothing is confirmed' },
      ],
    })
    expect(at.stderr()).not.toContain('/nic/update')
    await holdfast(['update', ...args], { env: env(at) })
    expect((await holdfast(['detect', ...args])).stdout).toContain('home.example.test: nothing would be sent')
  })

  it('that finds nothing ends with 69', async () =>
    expect((await holdfast(['detect', '--source', 'http://127.0.0.1:1/'])).code).toBe(69))

  it('--watch shows the first survey and goes on until it is told to end', async () => {
    const child = start(['detect', '--watch', '--json', '--no-ipv6', '--source', await echo(() => '8.8.8.8')])
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = new Promise<number | null>((done) => child.on('close', done))
    if (child.stdout === null) throw new Error('no output')
    const line = await new Promise<string>((done) =>
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', done),
    )

    expect(JSON.parse(line)).toMatchObject({ conclusions: [{ address: '8.8.8.8' }] })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})

describe('holdfast doctor', () => {
  const doctor = async (...args: readonly string[]) => holdfast(['doctor', '--no-ipv6', ...args])

  it('finds nothing where nothing is', async () =>
    expect(
      await doctor('--source', `${await echo(() => '8.8.8.8')},${localhost(await echo(() => '8.8.8.8'))}`),
    ).toMatchObject({
      code: 0,
      stdout: 'nothing is wrong with this network that Holdfast can see\n',
    }))

  it('names a captive portal, with what shows it and what to do', async () => {
    const portal = await answering(() => ({ status: 200, body: '<!DOCTYPE html><title>Hotel</title>' }))

    expect(await doctor('--source', portal)).toMatchObject({
      code: 69,
      stdout: expect.stringMatching(
        /^captive portal\n {2}evidence: \S+ answers with a web page\n {2}what to do: open a browser/,
      ) as string,
    })
  })

  it('names a clock that is wrong, by the Date of web services', async () => {
    const url = await answering(() => ({
      status: 200,
      body: '8.8.8.8',
      headers: { date: new Date(Date.now() - 7_200_000).toUTCString() },
    }))

    const { stdout } = await doctor('--source', url, '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      diagnoses: [{ name: 'clock wrong', evidence: "this host's clock is 2h ahead", isTrouble: true }],
    })
  })

  it('names a name that cannot be looked up', async () => {
    const { stdout, code } = await doctor(
      '--source',
      `${localhost(await echo(() => '8.8.8.8'))},stun:${NOWHERE}`,
    )

    expect([code, stdout]).toEqual([
      69,
      expect.stringContaining(`name not found\n  evidence: ${NOWHERE} cannot be looked up`),
    ])
  })
})
