import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import type { TlsFiles } from '../../../shared/ports/dns-listener.ts'
import { configurationFailure, type Failure } from '../../../shared/program/exit-codes.ts'

/**
 * The certificate chain and the key; undefined without TLS. They are checked here: Node accepts an empty file, and then no
 * client gets a connection.
 */
export async function readTls({
  tlsCert,
  tlsKey,
}: ServiceSettings): Promise<Result<TlsFiles | undefined, Failure>> {
  if (tlsCert === undefined || tlsKey === undefined) return ok(undefined)
  const [cert, key] = await Promise.all([readPem('tls_cert', tlsCert), readPem('tls_key', tlsKey)])
  if (!cert.ok || !key.ok)
    return configurationFailure(...[cert, key].flatMap((one) => (one.ok ? [] : [one.error])))
  const pem = { cert: cert.value, key: key.value }
  const [first, own] = [firstCertificate(pem.cert), privateKey(pem.key)]
  if (first === undefined || own === undefined)
    return configurationFailure(
      ...(first === undefined ? [NO_CERTIFICATE(tlsCert)] : []),
      ...(own === undefined ? [NO_KEY(tlsKey)] : []),
    )
  if (!first.checkPrivateKey(own))
    return configurationFailure(
      `tls_key ${tlsKey} is not the key of the first certificate in tls_cert ${tlsCert}: ` +
        'name two files that belong together, the certificate of the service before those of its authority',
    )
  const fault = faultOf(pem)
  return fault === undefined
    ? ok(pem)
    : configurationFailure(`tls_cert ${tlsCert} and tls_key ${tlsKey} cannot be used: ${fault}`)
}

const readPem = async (setting: string, path: string): Promise<Result<string, string>> =>
  readFile(path, 'utf8').then(ok, (error: Error) =>
    err(`${setting} ${path} cannot be read: ${error.message}`),
  )

const NO_CERTIFICATE = (path: string): string =>
  `tls_cert ${path} contains no certificate: it must be PEM, ` +
  'which begins with -----BEGIN CERTIFICATE-----; write the certificate again'
const NO_KEY = (path: string): string =>
  `tls_key ${path} contains no private key without a passphrase: it must be PEM, ` +
  'with a line such as -----BEGIN PRIVATE KEY-----; write the key again'

function firstCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** Faults that a socket would report: in other certificates of the chain, or a key that is too short. */
function faultOf(pem: TlsFiles): string | undefined {
  try {
    createSecureContext(pem)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
