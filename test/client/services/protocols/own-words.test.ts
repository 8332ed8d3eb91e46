import { expect, it } from 'vitest'
import { ownWords } from '../../../../src/client/services/protocols/json.ts'

// biome-ignore format: a table
const ANSWERS = [
  ['Cloudflare',   '{"success":false,"errors":[{"code":1000,"message":"This API Token is expired"}],"messages":[],"result":null}', '"This API Token is expired" (1000)'],
  ['Cloudflare, with a chain', '{"success":false,"errors":[{"code":6003,"message":"Invalid request headers","error_chain":[{"code":6111,"message":"Invalid format for Authorization header"}]}]}', '"Invalid request headers: Invalid format for Authorization header" (6003)'],
  ['Hetzner',      '{"error":{"code":"unauthorized","message":"unable to authenticate","details":null}}', '"unable to authenticate" (unauthorized)'],
  ['GoDaddy',      '{"code":"UNABLE_TO_AUTHENTICATE","message":"Unauthorized : Could not authenticate API key/secret"}', '"Unauthorized : Could not authenticate API key/secret" (UNABLE_TO_AUTHENTICATE)'],
  ['IONOS',        '[{"code":"UNAUTHORIZED","message":"The customer is not authorized to do this operation."}]', '"The customer is not authorized to do this operation." (UNAUTHORIZED)'],
  ['Linode',       '{"errors":[{"reason":"Invalid Token"}]}', '"Invalid Token"'],
  ['Vultr',        '{"error":"Invalid API token.","status":401}', '"Invalid API token."'],
  ['DNSPod',       '{"status":{"code":"-1","message":"Login failed","created_at":"x"}}', '"Login failed" (-1)'],
  ['netcup',       '{"status":"error","statuscode":4001,"shortmessage":"x","longmessage":"The session id is not in a valid format."}', '"The session id is not in a valid format." (4001)'],
  ['DuckDNS',      'KO', '"KO"'],
  ['a page',       '<html><body><h1>Forbidden</h1></body></html>', '"Forbidden"'],
  ['a bare word',  'badauth\r\n', ''],
  ['two words',    'nohost\nnohost', ''],
  ['a word and more', 'badauth your account has expired', '"badauth your account has expired"'],
  ['nothing',      '', ''],
  ['no message',   '{"ok":false}', '"{"ok":false}"'],
  ['controls and a long text', `{"message":"a\\u001b[31m${'x'.repeat(200)}"}`, `"a [31m${'x'.repeat(74)}…"`],
] as const

it.each(ANSWERS)('what %s says is quoted', (_, body, quote) => expect(ownWords(body)).toBe(quote))
