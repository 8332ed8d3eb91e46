import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacks } from '../lacks.ts'
import { type AcmeAuthority, acmeAuthority } from './acme-authority.ts'
import { CLIENTS, issue, surroundings } from './acme-clients.ts'
import { shell } from './documented.ts'
import { stopAll, type ToolService, toolService } from './tool-service.ts'

const isLacking = ['pebble', 'openssl', 'curl'].map((one) => lacks(one)).includes(true)
const isThere = (programs: readonly string[]): boolean => !programs.some((one) => lacks(one))
const present = Object.entries(CLIENTS).filter(([, { programs }]) => isThere(programs))

describe.skipIf(isLacking)('a wildcard certificate, as docs/acme.md says, by', () => {
  let folder: string
  let at: ToolService
  let authority: AcmeAuthority
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-acme-'))
    at = await toolService(folder)
    authority = await acmeAuthority(folder, at.dns)
  })
  afterAll(async () => {
    await authority?.stop()
    await stopAll(at, [])
    rmSync(folder, { recursive: true, force: true })
  })

  // Each for a name of its own: lego replaces the records of a name.
  it.concurrent.each(present)('%s', async (title, client) => {
    const name = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example.test`
    const { code, names, stdout, stderr } = await issue({ at, authority, folder }, client, name)

    expect([code, names, `${stdout}${stderr}`]).toEqual([0, `DNS:${name}, DNS:*.${name}`, expect.any(String)])
    // A hook that failed does not end certbot.
    expect(`${stdout}${stderr}`).not.toContain('holdfast:')
    expect(await at.stored()).not.toContain(`_acme-challenge.${name.split('.')[0]} `)
  })

  const byHook = present.find(([title]) => title === 'certbot with our hook')?.[1]
  it.skipIf(byHook === undefined).concurrent('certbot again, by the hook that it has saved', async () => {
    if (byHook === undefined) return
    const name = 'renewed.example.test'
    expect(await issue({ at, authority, folder }, byHook, name)).toMatchObject({ code: 0 })
    const own = join(folder, name)
    const command = 'certbot renew --force-renewal --no-random-sleep-on-renew'
    const { code, stdout, stderr } = await shell(surroundings(authority, at.dns) + command, {
      DIR: own,
      HOME: own,
    })
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringContaining('holdfast:')])
    expect(existsSync(join(own, `config/archive/${name}/cert2.pem`))).toBe(true)
    expect(await at.stored()).not.toContain('_acme-challenge.renewed ')
  })
})
