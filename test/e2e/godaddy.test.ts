import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { godaddyByToken } from '../fakes/services/godaddy.ts'
import type { FakeWorld } from '../fakes/services/service.ts'
import { listening } from './every-service.ts'
import { holdfast, scratch } from './processes.ts'

it('GoDaddy takes a password without an API key as a token, on the paths of v1', async () => {
  const world: FakeWorld = {
    zones: ['example.com'],
    records: [{ name: 'www.example.com', type: 'A', value: '192.0.2.77', ttl: 600, extra: {} }],
    username: '',
    password: 'canary-token-7',
    apiKey: '',
    isReadOnly: false,
  }
  const asked: string[] = []
  const respond = godaddyByToken.make(world)
  const server = await listening((request) => {
    asked.push(`${request.method} ${request.target.split('?')[0]}`)
    return respond(request)
  })
  const folder = scratch()
  const file = join(folder, 'h.toml')
  const write = (password: string): void =>
    writeFileSync(
      file,
      `provider = "godaddy"\nserver = "${server}"\npassword = "${password}"\nhostnames = ["home.example.com"]\n` +
        `state_dir = "${folder}"\nmyip = ["192.0.2.2", "2001:db8::2"]\n`,
      { mode: 0o600 },
    )
  write(world.password)
  const { code, stderr } = await holdfast(['update', '--config', file], {})
  expect([code, stderr]).toEqual([0, ''])
  expect(world.records.map(({ name, type, value }) => `${name} ${type} ${value}`).toSorted()).toEqual([
    'home.example.com A 192.0.2.2',
    'home.example.com AAAA 2001:db8::2',
    'www.example.com A 192.0.2.77',
  ])
  const isRecord = /^(GET|PUT) \/v1\/domains\/example\.com\/records\/(A|AAAA|CNAME)\/home$/
  expect(asked.filter((one) => !isRecord.test(one))).toEqual([])
  expect(asked.join()).not.toContain('/v3/')

  write('another-token')
  const refused = await holdfast(['update', '--config', file, '--force'], {})
  expect([refused.code, refused.stderr]).toEqual([
    77,
    expect.stringContaining('GoDaddy refuses the personal access token: "Unauthorized'),
  ])
})
