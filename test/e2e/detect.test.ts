import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { env } from './daemon.ts'
import { clientOf, holdfast, scratch, service, start } from './processes.ts'
import { answering, echo } from './servers.ts'

/** A label has 63 octets at most (RFC 1035 §2.3.4): this name causes no DNS query. */
const NOWHERE = 'x'.repeat(70)

const localhost = (url: string): string => url.replace('127.0.0.1', 'localhost')

describe('holdfast detect', () => {
  it('needs no account, queries every source, and shows which agree', async () => {
    const [x, y] = [await echo(() => '8.8.8.8'), localhost(await echo(() => '8.8.8.8'))]

    const { code, stdout } = await holdfast(['detect', '--no-ipv6', '--source', `${x},${y}`])

    expect(code).toBe(0)
    expect(stdout).toMatch(/127\.0\.0\.1 +IPv4 +8\.8\.8\.8 +\d+ ms +agrees/)
    expect(stdout).toContain(`IPv4: 8.8.8.8 (${x} and ${y} agree)`)
  })

  it('prints what would be sent and why, and sends nothing', async () => {
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

  it('ends with 69 when it finds no address, and says that nothing would be sent', async () => {
    const args = ['detect', ...clientOf(await service(), scratch()), '--source', 'http://127.0.0.1:1/']
    const { code, stdout } = await holdfast(args)

    expect([code, stdout]).toEqual([
      69,
      expect.stringContaining('home.example.test: nothing would be sent: no address was found'),
    ])
  })

  it('--watch prints the first survey and continues until SIGTERM', async () => {
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

  it('reports no problem in a working network', async () =>
    expect(
      await doctor('--source', `${await echo(() => '8.8.8.8')},${localhost(await echo(() => '8.8.8.8'))}`),
    ).toMatchObject({
      code: 0,
      stdout: 'Holdfast found no problem\n',
    }))

  it('reports a captive portal with evidence and a remedy', async () => {
    const portal = await answering(() => ({ status: 200, body: '<!DOCTYPE html><title>Hotel</title>' }))

    expect(await doctor('--source', portal)).toMatchObject({
      code: 69,
      stdout: expect.stringMatching(
        /^captive portal\n {2}evidence: \S+ answers with a web page\n {2}what to do: open a browser/,
      ) as string,
    })
  })

  it('reports a wrong clock by the Date header of web services', async () => {
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

  it('reports a name that cannot be resolved', async () => {
    const { stdout, code } = await doctor(
      '--source',
      `${localhost(await echo(() => '8.8.8.8'))},stun:${NOWHERE}`,
    )

    expect([code, stdout]).toEqual([
      69,
      expect.stringContaining(`name not found\n  evidence: ${NOWHERE} cannot be resolved`),
    ])
  })
})
