import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../e2e/processes.ts'
import { canLab, type Lab, lab } from '../lab/lab.ts'
import { vpnDown, vpnUp } from '../lab/vpn.ts'

const reason = canLab()
if (reason !== undefined)
  console.error(
    `\n!!! no network lab here (${reason}): the tests of what is wrong with a network are SKIPPED\n`,
  )

describe.skipIf(reason !== undefined)('in a home network', () => {
  let home: Lab
  beforeAll(async () => void (home = await lab()))
  afterAll(async () => home.down())

  const ask = async (command: string, sources: string): Promise<{ code: number | null; stdout: string }> => {
    const args = [join(ROOT, 'bin/holdfast.js'), command, '--source', sources]
    const child = home.spawn('host', process.execPath, args, {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
    })
    let stdout = ''
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    const code = await new Promise<number | null>((done) => child.on('close', done))
    return { code, stdout }
  }
  const OUTSIDE = 'router,stun:11.99.0.81,stun:11.99.0.82'

  it('in order, nothing is wrong, and the router and one outside agree', async () => {
    expect(await ask('doctor', OUTSIDE)).toEqual({
      code: 0,
      stdout: 'Holdfast found no problem\n',
    })
    expect((await ask('detect', OUTSIDE)).stdout).toContain(
      'IPv4: 11.22.33.10 (router and stun:11.99.0.81 and stun:11.99.0.82 agree)',
    )
  })

  it('a source that disagrees is named, and the result is that of the others', async () => {
    await home.command('lie 82 8.8.4.4')
    const [doctor, detect] = [await ask('doctor', OUTSIDE), await ask('detect', OUTSIDE)]
    await home.command('honest')

    expect(doctor.stdout).toContain('stun:11.99.0.82 reports 8.8.4.4, but other sources agree on 11.22.33.10')
    expect(detect.stdout).toMatch(/stun:11\.99\.0\.82 .* 8\.8\.4\.4 .* differs/)
  })

  it('IPv6 that leads nowhere is named', async () => {
    await home.command('mute 1')
    const { code, stdout } = await ask(
      'doctor',
      'interfaces,stun:[2a00:db8:99::1],stun:11.99.0.81,stun:11.99.0.82',
    )
    await home.command('speak')

    expect([code, stdout]).toEqual([
      69,
      expect.stringMatching(/^IPv6 broken\n {2}evidence: this host has 2a00:db8:100:1/),
    ])
  })

  it('a VPN through which all traffic leaves is named', async () => {
    await vpnUp(home, 'policy')
    const { stdout } = await ask('doctor', OUTSIDE)
    await vpnDown(home, 'policy')

    expect(stdout).toMatch(
      /^another line\n {2}evidence: traffic to the internet leaves through tun0, not by the line whose address/m,
    )
    expect((await ask('doctor', OUTSIDE)).stdout).toContain('found no problem')
  })

  it('an address that the provider shares is explained', async () => {
    await home.cgnat(true)
    const { code, stdout } = await ask('doctor', OUTSIDE)
    await home.cgnat(false)

    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^CGNAT or double NAT\n {2}evidence: the router reports no public address, but outside sources see 11\.22\.200\./,
      ),
    ])
    expect((await ask('detect', OUTSIDE)).stdout).toContain('IPv4: 11.22.201.')
  })

  it('a modem in front of a router that reports no address is named', async () => {
    await home.igd('none')
    await home.addModem()
    const { code, stdout } = await ask('doctor', OUTSIDE)

    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^another router\n {2}evidence: a router beyond the first one answers at 11\./),
    ])
  })
})
