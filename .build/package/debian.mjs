/** The packages for Debian: what is in them, and what their control files say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzip, makeDeb } from './deb.mjs'
import { clientFiles, isClientDocument, namesIn, wholeFiles } from './parts.mjs'
import { file, folder, link, program } from './tree.mjs'

const HOMEPAGE = 'https://holdfast.invalid'
const UNITS = 'usr/lib/systemd/system'
/** The only hook of the service. */
const CERTIFICATE_HOOK = 'certbot-deploy'

/** The unit of a template, for the program at this path. */
const unitFor = (root, name, command) =>
  readFileSync(join(root, 'systemd', name), 'utf8')
    .replace(/^# .*`holdfast service install.*$\n/m, '')
    .replaceAll(/^Exec(Start|Reload)=holdfast /gm, `Exec$1=${command} `)

const text = (name) => readFileSync(join(import.meta.dirname, 'debian', name), 'utf8')
const postinst = (name) => text(name).replace('#ROOT-FOLDER#\n', () => text('root-folder.sh'))

/** debian-policy §4.4, for a package that is not part of Debian: one entry, and the rest is in CHANGELOG.md. */
const changelog = (name, { version, maintainer, epoch }) =>
  gzip(
    `${name} (${version}) unstable; urgency=medium\n\n  * See /usr/share/doc/${name}/CHANGELOG.md.gz.\n\n -- ${maintainer}  ${new Date(epoch * 1000).toUTCString().replace('GMT', '+0000')}\n`,
  )

/** Machine-readable copyright, format 1.0; the licences of the bundled packages are a file of their own. */
const copyright = (
  root,
  name,
  more = '',
) => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Holdfast
Comment: The licences of the packages that are part of the program are in
 /usr/share/doc/${name}/LICENSES.txt.gz.

Files: *
Copyright: 2026 Holdfast maintainers
License: Expat
${readFileSync(join(root, 'LICENSE'), 'utf8')
  .replace(/^[^]*?(?=Permission is)/, '')
  .trimEnd()
  .split('\n')
  .map((line) => (line.trim() === '' ? ' .' : ` ${line}`))
  .join('\n')}
${more}`

const documents = (root, name, about) => {
  const doc = `usr/share/doc/${name}`
  return {
    [`${doc}/copyright`]: file(copyright(root, name, about.licence)),
    [`${doc}/LICENSES.txt.gz`]: file(gzip(readFileSync(join(root, 'dist/LICENSES.txt')))),
    [`${doc}/changelog.gz`]: file(changelog(name, about)),
    [`${doc}/CHANGELOG.md.gz`]: file(gzip(readFileSync(join(root, 'CHANGELOG.md')))),
  }
}

const manual = (root, page) => ({
  [`usr/share/man/man${page.slice(-1)}/${page}.gz`]: file(gzip(readFileSync(join(root, 'docs/man', page)))),
})

const clientControl = (about) => ({
  Package: 'holdfast',
  Version: about.version,
  Architecture: 'all',
  Maintainer: about.maintainer,
  Section: 'net',
  Priority: 'optional',
  Homepage: HOMEPAGE,
  Depends: 'nodejs (>= 20.19), ca-certificates',
  Recommends: 'iproute2, iputils-ping, libnss-systemd',
  Suggests: 'holdfast-service, curl',
  Description: `dynamic DNS client that obeys the protocol
 Holdfast keeps hostnames on a moving address. It finds the public IPv4 and
 IPv6 address of this host, sends it to a dynamic DNS service when it changes,
 and obeys what the service answers: it stops where the protocol says stop, and
 waits where it says wait, across restarts.`,
})

/** The client, for every architecture, on Debian's own Node. */
export function clientDeb(to, { root, completions, ...about }) {
  const place = 'usr/lib/holdfast'
  const launcher = `${place}/bin/holdfast.js`
  const own = clientFiles(root, place)
  // Debian's Node, whatever the environment names.
  const started = program(String(own[launcher].content).replace('#!/usr/bin/env node', '#!/usr/bin/node'))
  const withDefaults = (unit) =>
    unit.replace('\n[Service]\n', '\n[Service]\nEnvironmentFile=-/etc/default/holdfast\n')
  makeDeb(
    to,
    {
      control: clientControl(about),
      files: {
        ...own,
        [launcher]: started,
        'usr/bin/holdfast': link('../lib/holdfast/bin/holdfast.js'),
        [`${UNITS}/holdfast.service`]: file(
          withDefaults(unitFor(root, 'holdfast.service', '/usr/bin/holdfast')),
        ),
        [`${UNITS}/holdfast-update.service`]: file(
          withDefaults(unitFor(root, 'holdfast-update.service', '/usr/bin/holdfast')),
        ),
        [`${UNITS}/holdfast-update.timer`]: file(unitFor(root, 'holdfast-update.timer', '/usr/bin/holdfast')),
        'usr/lib/systemd/user/holdfast.service': file(
          unitFor(root, 'holdfast.user.service', '/usr/bin/holdfast'),
        ),
        'etc/default/holdfast': file(text('default.client')),
        'usr/share/bash-completion/completions/holdfast': file(completions.bash),
        'usr/share/zsh/vendor-completions/_holdfast': file(completions.zsh),
        'usr/share/fish/vendor_completions.d/holdfast.fish': file(completions.fish),
        ...manual(root, 'holdfast.1'),
        ...manual(root, 'holdfast.toml.5'),
        ...documents(root, 'holdfast', about),
        ...folder(join(root, 'docs'), 'usr/share/doc/holdfast', isClientDocument),
        'usr/share/doc/holdfast/examples/holdfast.toml': file(
          readFileSync(join(root, 'config/holdfast.toml')),
        ),
        ...folder(
          join(root, 'systemd/hooks'),
          'usr/share/doc/holdfast/examples/hooks',
          (name) => name !== CERTIFICATE_HOOK,
        ),
      },
      scripts: {
        preinst: text('preinst.client'),
        postinst: postinst('postinst.client'),
        prerm: text('prerm.client'),
        postrm: text('postrm.client'),
      },
      conffiles: ['/etc/default/holdfast'],
    },
    about,
  )
}

const serviceControl = ({ architecture, nodeVersion, ...about }) => ({
  Package: 'holdfast-service',
  Version: about.version,
  Architecture: architecture,
  Maintainer: about.maintainer,
  Section: 'net',
  Priority: 'optional',
  Homepage: HOMEPAGE,
  Depends: 'libc6 (>= 2.28), libstdc++6, libgcc-s1, libatomic1',
  Recommends: 'libnss-systemd',
  Description: `dynamic DNS service with a management API
 The update service that clients of the dyndns2 protocol talk to, with a JSON
 API to manage zones and names, on an embedded database. It answers for its
 zones itself, or feeds other name servers. Contains Node.js ${nodeVersion}.`,
})

/** The service with the Node that it needs. `node`: the program for this architecture. */
export function serviceDeb(to, { root, architecture, node, nodeVersion, nodeLicence, ...about }) {
  const place = 'usr/lib/holdfast-service'
  const files = wholeFiles(root, place)
  const command = `/${place}/node /${place}/bin/holdfast.js`
  const launcher = `${place}/bin/holdfast.js`
  const units = namesIn(join(root, 'systemd')).filter((name) => name.startsWith('holdfast-service'))
  makeDeb(
    to,
    {
      control: serviceControl({ architecture, nodeVersion, ...about }),
      files: {
        ...files,
        // Started with the Node beside it only.
        [launcher]: file(String(files[launcher].content).replace('#!/usr/bin/env node\n', '')),
        [`${place}/node`]: program(node),
        'usr/sbin/holdfast-service': program(text('holdfast-service')),
        ...Object.fromEntries(
          units.map((name) => [`${UNITS}/${name}`, file(serviceUnit(unitFor(root, name, command)))]),
        ),
        'etc/holdfast/service.toml': file(text('service.toml')),
        ...manual(root, 'holdfast-service.8'),
        ...documents(root, 'holdfast-service', {
          ...about,
          licence: `
Files: usr/lib/holdfast-service/node
Copyright: 2009-2026 Node.js contributors
License: Expat
Comment: Contains other works; their licences are in
 /usr/share/doc/holdfast-service/LICENSE.node.gz.
`,
        }),
        'usr/share/doc/holdfast-service/LICENSE.node.gz': file(gzip(nodeLicence)),
        'usr/share/doc/holdfast-service/examples/service.toml': file(
          readFileSync(join(root, 'config/service.toml')),
        ),
        [`usr/share/doc/holdfast-service/examples/${CERTIFICATE_HOOK}`]: program(
          readFileSync(join(root, 'systemd/hooks', CERTIFICATE_HOOK)),
        ),
        ...folder(join(root, 'docs'), 'usr/share/doc/holdfast-service', (name) =>
          SERVICE_DOCS.includes(name),
        ),
        'usr/share/lintian/overrides/holdfast-service': file(text('lintian.service')),
      },
      scripts: {
        preinst: text('preinst.service'),
        postinst: postinst('postinst.service'),
        prerm: text('prerm.service'),
        postrm: text('postrm.service'),
      },
      conffiles: ['/etc/holdfast/service.toml'],
    },
    { ...about, compression: 'xz' },
  )
}

/** Without a certificate, https has no port; messages name the command of this package. */
const serviceUnit = (unit) =>
  unit
    .replace('ListenStream=443\n', '')
    .replace(/^# In the order of .*$/m, '# In the order of `listen` in /etc/holdfast/service.toml.')
    .replaceAll(/^(ExecStart=.*holdfast\.js )/gm, 'Environment=HOLDFAST_PROGRAM=holdfast-service\n$1')

const SERVICE_DOCS = ['service.md', 'api.md', 'publishing.md', 'scale.md', 'tools.md', 'acme.md']
