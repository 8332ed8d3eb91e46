import { expect, it } from 'vitest'
import { PROVIDERS } from '../../../../src/client/services/providers/providers.ts'
import { secretNoun } from '../../../../src/client/services/providers/secret-noun.ts'

it('each service has a short noun for its secret', () => {
  const nouns = new Set(Object.values(PROVIDERS).map(secretNoun))
  expect([...nouns].toSorted()).toEqual([
    'API key',
    'API password',
    'API secret',
    'API token',
    'DDNS password',
    'DonDNS API key',
    'DynDNS password',
    'DynDNS token',
    'FlexDNS password',
    'HTTP token',
    'IP update password',
    'access token',
    'dynamic DNS password',
    'dynamic DNS token',
    'dynamic token',
    'key',
    'password',
    'password of the DDNS key',
    'personal access token',
    'randomized update token',
    'secret',
    'secret API key',
    'secret key',
    'token',
    'update key',
    'update secret',
    'update token',
    'updater client key',
  ])
})
