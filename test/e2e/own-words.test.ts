import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdfast, scratch } from './processes.ts'
import { answering } from './servers.ts'

// biome-ignore format: a table
const REFUSALS = [
  ['cloudflare', 'home.example.com', 401, '{"success":false,"errors":[{"code":1000,"message":"This API Token is expired"}]}',
    'Cloudflare refuses the API token: "This API Token is expired" (1000)', 'correct the API token'],
  ['duckdns', 'home.duckdns.org', 200, 'KO',
    'the hostname or the token is wrong; DuckDNS does not say which: "KO"', 'check the spelling of the hostname, and the token'],
  ['digitalocean', 'home.example.com', 401, '{"id":"Unauthorized","message":"Unable to authenticate you"}',
    'DigitalOcean refuses the API token: "Unable to authenticate you" (Unauthorized)', 'correct the API token'],
  ['gandi', 'home.example.com', 403, '{"object":"HTTPForbidden","cause":"Forbidden","code":403,"message":"Access was denied to this resource."}',
    'Gandi LiveDNS refuses the personal access token: "Access was denied to this resource." (403)', 'correct the personal access token'],
] as const

describe('a refusal of a service with another protocol', () => {
  it.each(REFUSALS)(
    '%s is in its own words and nouns',
    async (provider, hostname, status, body, said, remedy) => {
      const folder = scratch()
      const url = await answering(() => ({ status, body }))
      const file = join(folder, 'h.toml')
      const place =
        provider === 'duckdns'
          ? `url = "${url}update?domains={label}&token={password}&ip={ipv4}"`
          : `server = "${url.replace(/\/$/, '')}"`
      writeFileSync(
        file,
        `provider = "${provider}"\n${place}\nzone = "${hostname.replace(/^home\./, '')}"\npassword = "canary-7"\nhostnames = ["${hostname}"]\nstate_dir = "${folder}"\nmyip = ["192.0.2.1"]\nipv6 = false\n`,
        { mode: 0o600 },
      )
      const update = await holdfast(['update', '--config', file], {})
      const others = await Promise.all(
        ['status', 'explain'].map(async (one) => holdfast([one, '--config', file], {})),
      )
      expect([update.code, update.stderr]).toEqual([77, expect.stringContaining(said)])
      expect(update.stderr).toContain(`what to do: ${remedy}`)
      expect(update.stdout).toContain(`${hostname}: `)
      for (const { stdout } of others) expect(stdout).toContain(said)
      const all = [update, ...others].map(({ stdout, stderr }) => stdout + stderr).join('\n')
      expect(all).not.toMatch(/DDNS key|badauth|nohost|username and password|wrong-name|canary/)
      // For programs the word stays.
      const { accounts } = JSON.parse(
        (await holdfast(['status', '--config', file, '--json'], {})).stdout,
      ) as {
        accounts: readonly { because: string; said: string }[]
      }
      expect(accounts[0]).toMatchObject({ because: provider === 'duckdns' ? 'nohost' : 'badauth', said })
    },
  )

  it('of the update protocol has its words, and what the service adds', async () => {
    const folder = scratch()
    const url = await answering(() => ({ status: 200, body: 'badauth your key has expired\n' }))
    const { code, stderr } = await holdfast(
      [
        'update',
        '--server',
        url,
        '--username',
        'u',
        '--hostname',
        'h.example.test',
        '--state-dir',
        folder,
        '--myip',
        '192.0.2.1',
      ],
      { env: { HOLDFAST_PASSWORD: 'canary-7' } },
    )
    expect([code, stderr]).toEqual([
      77,
      expect.stringContaining(
        'the service answered badauth (invalid username and password): "badauth your key has expired"',
      ),
    ])
    expect(stderr).toContain('correct the username or the password of the DDNS key')
  })

  it('a key of another kind is refused by the file, before anything is sent', async () => {
    const folder = scratch()
    const [file, key] = [join(folder, 'h.toml'), join(folder, 'key')]
    writeFileSync(key, '0123456789abcdef0123456789abcdef01234\n', { mode: 0o600 })
    writeFileSync(
      file,
      `provider = "cloudflare"\npassword_file = "${key}"\nhostnames = ["home.example.com"]\nstate_dir = "${folder}"\n`,
    )
    expect(await holdfast(['config', 'check', '--config', file], {})).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(
        /:2: the password is a global API key; make an API token instead/,
      ) as string,
    })
    expect(
      await holdfast(
        [
          'init',
          '--provider',
          'cloudflare',
          '--password-file',
          key,
          '--hostname',
          'home.example.com',
          '--output',
          join(folder, 'new.toml'),
          '--yes',
        ],
        {},
      ),
    ).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('the password is a global API key') as string,
    })
  })
})
