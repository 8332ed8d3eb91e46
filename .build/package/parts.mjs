/** Which files of the build belong to the client, and the texts that every package has. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { file, folder, program } from './tree.mjs'

/** Commands of the service alone. Their chunks, and those that only they load, are not in packages of the client. */
const SERVICE_CHUNKS = ['serve.cjs', 'admin.cjs']

/** The chunks that the entry loads, now or later, without those of the service. */
export function clientChunks(dist) {
  const found = new Set(['holdfast.cjs'])
  for (const name of found) {
    const text = readFileSync(join(dist, name), 'utf8')
    const next = [...text.matchAll(/require\(["'`]\.\/([\w.-]+\.cjs)["'`]\)/g)].map(([, one]) => one)
    for (const one of next.filter((chunk) => !SERVICE_CHUNKS.includes(chunk))) found.add(one)
  }
  return found
}

/** The program without its service, below `prefix`. */
export function clientFiles(root, prefix) {
  const chunks = clientChunks(join(root, 'dist'))
  const isOfService = (name) => name.startsWith('holdfast-service') || name === 'certbot-deploy'
  return {
    ...programFiles(root, prefix),
    ...folder(
      join(root, 'dist'),
      `${prefix}/dist`,
      (name) => !isApiLibrary(name) && (!name.endsWith('.cjs') || chunks.has(name)),
    ),
    ...folder(
      join(root, 'systemd'),
      `${prefix}/systemd`,
      (name) => !isOfService(name.split('/').at(-1) ?? ''),
    ),
    ...folder(
      join(root, 'config'),
      `${prefix}/config`,
      (name) => name.startsWith('holdfast.') || name.startsWith('acme/'),
    ),
  }
}

/** What programs of others import: only npm finds it. */
const isApiLibrary = (name) => name.startsWith('holdfast-api.')
export const apiLibraryFiles = (root, prefix) => folder(join(root, 'dist'), `${prefix}/dist`, isApiLibrary)

/** The whole program. */
export const wholeFiles = (root, prefix) => ({
  ...programFiles(root, prefix),
  ...folder(join(root, 'dist'), `${prefix}/dist`, (name) => !isApiLibrary(name)),
  ...folder(join(root, 'systemd'), `${prefix}/systemd`),
  ...folder(join(root, 'config'), `${prefix}/config`),
})

const programFiles = (root, prefix) => ({
  [`${prefix}/bin/holdfast.js`]: program(readFileSync(join(root, 'bin/holdfast.js'))),
  [`${prefix}/bin/package.json`]: file(readFileSync(join(root, 'bin/package.json'))),
})

/** The names of the files in a folder. */
export const namesIn = (path) => readdirSync(path).sort()

/** What its user reads of docs/. */
export const isClientDocument = (name) =>
  ['client.md', 'notify.md', 'settings.md', 'acme.md'].includes(name) || name.startsWith('providers/')

/** The decisions are for people who change the program. */
export const isForUsers = (name) => !name.startsWith('decisions/')
