import type { PeerCertificate } from 'node:tls'

/** Node falls back to the common name of a certificate, which RFC 9525 §6.3 forbids. */
export function checkServerIdentity(name: string, certificate: PeerCertificate): Error | undefined {
  const { checkServerIdentity: check } = process.getBuiltinModule('node:tls')
  if (certificate.subjectaltname !== undefined) return check(name, certificate)
  const details = { code: 'ERR_TLS_CERT_ALTNAME_INVALID', cert: certificate }
  return Object.assign(new Error('the certificate has no subjectAltName'), details)
}

/** The server name in TLS has no final dot (RFC 6066 §3). */
export const serverNameOf = (hostname: string): { readonly servername?: string } =>
  hostname.endsWith('.') ? { servername: hostname.slice(0, -1) } : {}
