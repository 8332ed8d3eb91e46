import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const authority = (folder: string, subject: string): string => `
  [ca]
  default_ca = own
  [own]
  database = ${join(folder, 'database')}
  new_certs_dir = ${folder}
  rand_serial = yes
  default_md = sha256
  policy = any
  x509_extensions = names
  [any]
  commonName = supplied
  [names]
  subjectAltName = ${subject}
`

const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' })

/**
 * Creates NAME.crt and NAME.key, expired for years. Only `openssl ca` accepts any two dates in every version: 3.0 has no
 * -not_after, and 3.5 refuses -days -1.
 */
export function certifyExpired(folder: string, name: string, subject: string): void {
  const at = (each: string): string => join(folder, each)
  const [cert, key] = [at(`${name}.crt`), at(`${name}.key`)]
  writeFileSync(at('database'), '')
  writeFileSync(at('authority'), authority(folder, subject))
  const dates = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  openssl('req', '-new', ...curve, '-nodes', '-keyout', key, '-subj', '/CN=test', '-out', at('request'))
  const paths = ['-keyfile', key, '-in', at('request'), '-out', cert]
  openssl('ca', '-batch', '-selfsign', '-notext', '-config', at('authority'), ...dates, ...paths)
}
