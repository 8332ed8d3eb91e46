import { proofValue } from '../../publish/proofs.ts'
import { answererOf } from '../../model/publication.ts'
import { longest } from '../../../shared/base/time.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { TSIG_ALGORITHMS, type TsigAlgorithm } from '../../../shared/dns/tsig.ts'
import { Secret } from '../../../shared/base/secret.ts'
import { nextTurn, systemEntropy } from '../../../shared/platform/clock/clock.ts'
import type { ZoneNameLimits } from '../../rules/zone-names.ts'
import { domainBelowSuffix, isPublicSuffix } from '../../../shared/platform/names/public-suffix.ts'
import { API_IDENTITY } from '../../api/openapi/openapi.ts'
import { blockEnd, withInheritedBlock } from '../../auth/sanctions.ts'
import type { ApiService, ZoneProof } from '../../api/request/context.ts'
import { keyedHash, newKeyName, newPassword, newUsername, type Pepper } from '../../auth/hashes.ts'
import { creationOptions, isNewChallenge, newPasskey } from '../../auth/passkeys.ts'
import { newRecoveryCodes, newTotp, totpStep } from '../../auth/second-factors.ts'
import { seal } from '../../auth/sealed.ts'
import { operatorFor } from '../../admin/operate.ts'
import { canMail } from '../mail.ts'

export interface ApiServiceParts extends Pick<ApiService, 'requestFlush'> {
  /** Default: there is no mail server. */
  readonly sendMail?: ApiService['sendMail'] | undefined
  readonly pepper: Pepper
  /** Default: it looks at nothing. */
  readonly delegation?: ApiService['delegation'] | undefined
  /** Default: there are none. */
  readonly secondaries?: ApiService['secondaries'] | undefined
  readonly lateZones?: ApiService['lateZones'] | undefined
  /** Default: no effect. */
  readonly proved?: ZoneProof['proved'] | undefined
  /** Default: at once. */
  readonly whenServed?: ApiService['whenServed'] | undefined
}

/** By which names of zones are judged that tenants make. */
export const zoneNameLimits = (settings: ServiceSettings): ZoneNameLimits => {
  const { nameservers, console: website, mailFrom, soaContact, catalogZone, publicSuffixes } = settings
  return {
    ownDomains: [
      ...nameservers,
      ...(website === undefined ? [] : [new URL(website).hostname]),
      ...(mailFrom === undefined ? [] : [mailFrom.replace(/^.*@|>$/g, '')]),
      // RFC 1035 §3.3.13: the first label is the mailbox.
      ...(soaContact === undefined ? [] : [soaContact.split('.').slice(1).join('.')]),
      catalogZone,
    ]
      .map((host) => host.toLowerCase().replace(/\.$/, ''))
      .map((host) => domainBelowSuffix(host) ?? host),
    isPublicSuffix: (name) => !publicSuffixes && isPublicSuffix(name),
  }
}

/** What the handlers of `/v1` need of the service. */
export function apiServiceOf(
  settings: ServiceSettings,
  {
    pepper,
    requestFlush,
    secondaries = () => [],
    lateZones = () => ({ zones: [], areBehind: true }),
    delegation = async () => undefined,
    proved = async () => undefined,
    whenServed = async () => undefined,
    sendMail = async () => 'there is no mail server',
  }: ApiServiceParts,
): ApiService {
  const longestBlock = longest(settings.longBlock, settings.shortBlock)
  const secret = () => {
    const password = newPassword()
    return { password, hash: keyedHash(pepper, password) }
  }
  return {
    ...API_IDENTITY,
    nameservers: settings.nameservers,
    reservedNames: settings.reservedNames,
    zoneNames: zoneNameLimits(settings),
    requestFlush,
    pause: nextTurn,
    answerer: answererOf(settings),
    contact: settings.contact,
    zoneProof: { isNeeded: settings.zoneProof, value: (zone) => proofValue(pepper, zone), proved },
    secondaries,
    lateZones,
    delegation,
    whenServed,
    blockEnd: (key, sanctions, now) => blockEnd(withInheritedBlock(key, sanctions), now, longestBlock),
    secondFactors: {
      newTotp: (account) => {
        const { secret: text, uri, sealed } = newTotp(pepper, account)
        return { secret: text.reveal(), uri: uri.reveal(), sealed }
      },
      totpStep: (factor, given) => totpStep(pepper, factor, given),
      newRecoveryCodes,
      passkeyOptions: (account, present, now) =>
        settings.console === undefined
          ? undefined
          : creationOptions({ pepper, origin: settings.console, now }, account, present),
      newPasskey: async (accountId, credential, now) =>
        settings.console === undefined
          ? undefined
          : newPasskey({ pepper, origin: settings.console, now }, accountId, credential),
      isNewChallenge,
    },
    operate: operatorFor({ ...settings, pepper, canMail: canMail(settings) }),
    sendMail,
    newPassword: secret,
    newKey: () => ({ username: newUsername(), ...secret() }),
    newTsigKey: (algorithm) => newTsigKey(algorithm, pepper, settings),
  }
}

/** RFC 8945 §8: a secret is as long as the output of its hash. */
function newTsigKey(algorithm: TsigAlgorithm, pepper: Pepper, { secondaries }: ServiceSettings) {
  const isTaken = (name: string): boolean => secondaries.some(({ keyName }) => keyName === name)
  let name = newKeyName()
  while (isTaken(name)) name = newKeyName()
  const secret = Buffer.from(systemEntropy(TSIG_ALGORITHMS[algorithm].octets)).toString('base64')
  return { name, secret, sealed: seal(pepper, new Secret(secret), name) }
}
