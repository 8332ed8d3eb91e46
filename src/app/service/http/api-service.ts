import { longest } from '../../../base/time.ts'
import type { ServiceSettings } from '../../../config/service-settings.ts'
import { TSIG_ALGORITHMS, type TsigAlgorithm } from '../../../dns/tsig.ts'
import { Secret } from '../../../net/secret.ts'
import { systemEntropy } from '../../../platform/clock/clock.ts'
import { isPublicSuffix } from '../../../platform/names/public-suffix.ts'
import { blockEnd } from '../../../server/abuse/block.ts'
import type { ApiService } from '../../../server/api/request/context.ts'
import { keyedHash, newKeyName, newPassword, newUsername, type Pepper } from '../../../server/auth/hashes.ts'
import { seal } from '../../../server/auth/sealed.ts'
import { relativeTo } from '../../../server/model/dns-name.ts'

/** The version of the API, which is independent of the program's (spec, "Versioning"). */
const API_VERSION = '1.0.0'

/** What the handlers of `/v1` need of the service. */
export function apiServiceOf(
  settings: ServiceSettings,
  { pepper, requestFlush }: { readonly pepper: Pepper; readonly requestFlush: () => void },
): ApiService {
  const longestBlock = longest(settings.longBlock, settings.shortBlock)
  const secret = () => {
    const password = newPassword()
    return { password, hash: keyedHash(pepper, password) }
  }
  return {
    name: 'Holdfast DNS management API',
    version: API_VERSION,
    nameservers: settings.nameservers,
    reservedNames: settings.reservedNames,
    isReserved: (name) => relativeTo(name, settings.catalogZone) !== undefined,
    isPublicSuffix: (name) => !settings.publicSuffixes && isPublicSuffix(name),
    requestFlush,
    blockEnd: (key, now) => blockEnd(key, now, longestBlock),
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
