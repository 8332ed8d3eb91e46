/** Tests run on the Node that this checkout locks, and on no other by accident: a missing one falls back silently. */
import { readFileSync } from 'node:fs'

const { optionalDependencies } = JSON.parse(
  readFileSync(new URL('../.ci/node/package.json', import.meta.url), 'utf8'),
)
const wanted = new Set(Object.values(optionalDependencies))
if (!wanted.has(process.versions.node)) {
  console.error(
    `this is Node ${process.versions.node}; the checkout brings ${[...wanted].join(' or ')}: run npm ci on Linux x64 or arm64`,
  )
  process.exit(1)
}
