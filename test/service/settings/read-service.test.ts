import { expect, it } from 'vitest'
import { parseDocument } from '../../../src/shared/settings/document.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { formatListener, parseListener } from '../../../src/service/settings/service-settings.ts'
import { formatComplaint } from '../../../src/shared/settings/setting.ts'

const read = (toml: string) =>
  readServiceConfig({
    flags: {},
    environment: {},
    lookedFor: '/etc/s.toml',
    file: { name: 's.toml', document: parseDocument(toml, 's.toml') },
  })

it('reads listeners, proxies and numbers', () => {
  const config = read(
    'listen = ["0.0.0.0:80", "[::]:443/tls"]\ntls_cert = "c"\ntls_key = "k"\nnochg_limit = 5\ntrusted_proxies = ["10.0.0.1"]',
  )

  expect(config).toMatchObject({
    ok: true,
    value: {
      listen: [
        { host: '0.0.0.0', port: 80, isTls: false },
        { host: '::', port: 443, isTls: true },
      ],
      nochgLimit: 5,
      trustedProxies: [{ address: '10.0.0.1', length: 32 }],
    },
  })
})

it('reports all complaints together, with file and line', () => {
  const config = read('listen = ["dyn.example:80"]\n\nnochg_limit = 0\nport = 80')

  expect(config.ok ? [] : config.error.map(formatComplaint)).toEqual([
    's.toml:4: port is not a setting',
    "s.toml:1: listen lists 'dyn.example:80', which must start with an address of this host or localhost, such as 0.0.0.0:8245",
    's.toml:3: nochg_limit must be a whole number from 1 to 1000000',
  ])
})

it('requires certificate and key for TLS', () => {
  const complaints = ['listen = ["0.0.0.0:443/tls"]', 'tls_cert = "c"'].map((toml) => {
    const config = read(toml)
    return config.ok ? [] : config.error.map(formatComplaint)
  })

  expect(complaints).toEqual([
    ['s.toml:1: a /tls listener needs both tls_cert and tls_key'],
    ['s.toml:1: tls_cert and tls_key must be set together'],
  ])
})

it.each(['127.0.0.1:8080', '[::1]:443/tls', 'localhost:0'])(
  'formatListener is the inverse of parseListener for %s',
  (text) => {
    const listener = parseListener(text)

    expect(listener.ok && formatListener(listener.value)).toBe(text)
  },
)

it.each(['', '127.0.0.1', '::1:80', '127.0.0.1:99999', ':80', '127.0.0.1:80/ssl'])(
  'parseListener rejects %j',
  (text) => expect(parseListener(text).ok).toBe(false),
)

it('complains of a store that cannot be read once', () => {
  const config = read('store = "postgres://u@h/d?sslmode=wrong"\nhash_key_file = "/k"')
  expect(config.ok ? [] : config.error.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/sslmode/),
  ])
  const folder = read('store = "/var/lib/x"\nhash_key_file = "/k"')
  expect(folder.ok ? [] : folder.error.map(({ problem }) => problem)).toEqual([
    'hash_key_file is for a store in PostgreSQL',
  ])
})
