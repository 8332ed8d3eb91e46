import { Secret as TotpSecret, TOTP } from 'otpauth'
import { systemClock } from '../../../src/shared/platform/clock/clock.ts'
import { creationOptions } from '../../../src/service/auth/passkeys.ts'
import { authenticator } from '../auth/authenticator.ts'
import { OPERATOR } from './at-the-website.ts'
import { PEPPER } from './inside.ts'
import { PASSWORD, TOTP_SECRET } from './world.ts'

const R = '/v1/dns/records'
const HOME = `${R}/example.test/home`

/** A request of account A to every route that writes; `as`: where it needs the password, see `World.ask`. */
export type Write = readonly [route: string, method: string, path: string, body?: unknown, as?: string]
const NEW_PASSWORD = { old_password: PASSWORD, new_password: 'another password' }
const FACTORS = '/v1/account/second-factors'
const BY_PASSWORD = `a:${PASSWORD}`
/** Of the moment in which it is sent. */
const CODE = {
  get code(): string {
    return new TOTP({ secret: TotpSecret.fromBase32(TOTP_SECRET) }).generate()
  },
}
/** For account A, which is the first one. */
const PASSKEY = {
  get credential(): object {
    const site = { pepper: PEPPER, origin: 'https://dns.example', now: systemClock.now() }
    return authenticator(site.origin).create(creationOptions(site, { id: 1, name: 'a' }, []))
  },
}
const O = '/v1/operator'
export const WRITES: readonly Write[] = [
  ['changeAccount', 'PATCH', '/v1/account', { email: 'a@mail.test' }, BY_PASSWORD],
  ['createPasskeyOptions', 'POST', `${FACTORS}/passkey-options`, undefined, BY_PASSWORD],
  ['createPasskey', 'POST', `${FACTORS}/passkeys`, PASSKEY, BY_PASSWORD],
  ['changeOperatorAccount', 'PATCH', `${O}/accounts/b`, { plan: 'plan of a', suspended: true }, OPERATOR],
  ['createResetLink', 'POST', `${O}/accounts/b/reset-link`, undefined, OPERATOR],
  ['forgetSecondFactors', 'DELETE', `${O}/accounts/a/second-factors`, undefined, OPERATOR],
  ['setPlan', 'PUT', `${O}/plans/plan%20of%20a`, { max_names: 7, types: ['A'] }, OPERATOR],
  ['setPlan', 'PUT', `${O}/plans/other`, {}, OPERATOR],
  ['setBlock', 'PUT', `${O}/blocks/kkk9999`, undefined, OPERATOR],
  ['deleteBlock', 'DELETE', `${O}/blocks/b`, undefined, OPERATOR],
  ['deleteLockout', 'DELETE', `${O}/lockouts/b`, undefined, OPERATOR],
  ['createInvitation', 'POST', `${O}/invitations`, { plan: 'plan of a' }, OPERATOR],
  ['deleteInvitation', 'DELETE', `${O}/invitations/1`, undefined, OPERATOR],
  ['changePassword', 'PUT', '/v1/account/password', NEW_PASSWORD, `a:${PASSWORD}`],
  ['createKey', 'POST', '/v1/account/ddns-keys', { description: 'new', hostnames: ['free.example.test'] }],
  ['changeKey', 'PUT', '/v1/account/ddns-keys/kkk1111', { description: 'changed' }],
  ['changeKey', 'PUT', '/v1/account/ddns-keys/kkk1111', { regenerate_password: true }],
  ['changeKey', 'PUT', '/v1/account/ddns-keys/kkk2222', { hostnames: ['free.example.test'] }],
  ['deleteKey', 'DELETE', '/v1/account/ddns-keys/kkk2222'],
  ['createApiKey', 'POST', '/v1/account/api-keys', { description: 'new' }],
  ['changeApiKey', 'PUT', '/v1/account/api-keys/2', { description: 'changed' }],
  ['deleteApiKey', 'DELETE', '/v1/account/api-keys/1'],
  ['createTotp', 'POST', `${FACTORS}/totp`, { description: 'phone' }, BY_PASSWORD],
  ['confirmSecondFactor', 'POST', `${FACTORS}/1/confirm`, CODE, BY_PASSWORD],
  ['deleteSecondFactor', 'DELETE', `${FACTORS}/1`, undefined, BY_PASSWORD],
  ['createRecoveryCodes', 'POST', '/v1/account/recovery-codes', undefined, OPERATOR],
  ['deleteAccount', 'DELETE', '/v1/account?confirm=leaver', undefined, `leaver:${PASSWORD}`],
  ['deleteSession', 'DELETE', '/v1/account/sessions/1'],
  ['createTsigKey', 'POST', '/v1/account/tsig-keys', { description: 'new' }],
  ['deleteTsigKey', 'DELETE', '/v1/account/tsig-keys/key-aaaaaaaaaa'],
  ['createZone', 'POST', '/v1/dns/zones', { zone_name: 'new.test' }],
  ['changeZone', 'PATCH', '/v1/dns/zones/example.test', { description: 'x', default_ttl: 300 }],
  ['deleteZone', 'DELETE', '/v1/dns/zones/noadd.test'],
  ['importZone', 'POST', '/v1/dns/zones/noadd.test/import', 'x 60 A 192.0.2.55\n'],
  ['publishZone', 'POST', '/v1/dns/zones/example.test/publish'],
  ['setZoneMetadata', 'POST', '/v1/dns/zones/example.test/metadata', { metadata: { a: 'b' } }],
  ['presentChallenge', 'POST', '/v1/acme/httpreq/present', { fqdn: 'free.example.test', value: 'v' }],
  ['cleanUpChallenge', 'POST', '/v1/acme/httpreq/cleanup', { fqdn: 'free.example.test.', value: 'hello' }],
  ['createName', 'POST', `${R}/example.test`, { name: 'new' }],
  ['changeRRSets', 'PATCH', `${R}/example.test`, [{ name: 'free', dns_type: 'A', rdata: [] }]],
  ['changeName', 'PATCH', `${R}/example.test/empty`, { name: 'renamed' }],
  ['deleteName', 'DELETE', `${R}/example.test/empty`],
  ['publishName', 'POST', `${HOME}/publish`],
  ['setNameMetadata', 'POST', `${HOME}/metadata`, { metadata: { a: 'b' } }],
  ['setOffline', 'PUT', `${HOME}/offline-settings`, { action: 'none' }],
  ['deleteOffline', 'DELETE', `${HOME}/offline-settings`],
  ['createRRSets', 'POST', `${HOME}/rrsets`, [{ dns_type: 'TXT', rdata: [{ value: 'x' }] }]],
  ['replaceRRSet', 'PUT', `${R}/example.test/free/rrsets/A`, { ttl: 300 }],
  ['deleteRRSet', 'DELETE', `${R}/example.test/free/rrsets/TXT`],
  ['setRRSetMetadata', 'POST', `${HOME}/rrsets/A/metadata`, { metadata: { a: 'b' } }],
  ['replaceRdata', 'PUT', `${R}/example.test/free/rrsets/A/rdata`, [{ value: '192.0.2.55' }]],
  ['appendRdata', 'POST', `${R}/example.test/free/rrsets/A/rdata`, [{ value: '192.0.2.56' }]],
  ['appendRdata', 'POST', `${R}/example.test/newname/rrsets/A/rdata`, [{ value: '192.0.2.56' }]],
  ['setRdata', 'PUT', `${HOME}/rrsets/A/rdata/one`, { value: '192.0.2.57' }],
  ['deleteRdata', 'DELETE', `${HOME}/rrsets/A/rdata/one`],
]
