import { type Duration, formatDuration, milliseconds, minutes } from '../../shared/base/time.ts'
import { type Address, type Family } from '../../shared/base/address.ts'
import { formatNat, type NatKind, NATS } from '../../shared/base/nat.ts'
import { natOf } from '../detect/nat.ts'
import type { SourceAnswer } from '../detect/survey.ts'

/** What was measured in this network. */
export interface Evidence {
  readonly answers: readonly SourceAnswer[]
  readonly agreed: Readonly<Partial<Record<Family, Address>>>
  readonly hasGateway: boolean
  /** Where traffic to the internet leaves over IPv4, if not by the router or by a line of this host. */
  readonly elsewhere?: string
  /** The public address is not of the router of this network, but of the next one. */
  readonly isBehindSecond?: boolean
  /** Host names that were looked up, those of the settings and of the default sources. */
  readonly names: readonly { readonly host: string; readonly isFound: boolean; readonly isDefault?: true }[]
  /** The answers of the web sources, which are pages or redirects behind a captive portal. */
  readonly pages: readonly { readonly url: string; readonly isPage: boolean; readonly redirectsTo?: string }[]
  /** How far this host's clock is ahead of the HTTP dates of others; undefined without one. */
  readonly clockAhead: Duration | undefined
  /** The clock shows a time before the release of this program. */
  readonly isBeforeRelease: boolean
}

export interface Diagnosis {
  readonly name: string
  readonly evidence: string
  readonly remedy: string
  /** Whether it prevents updates. */
  readonly isTrouble: boolean
}

interface Rule {
  /** One sentence of evidence; undefined where the rule does not apply. */
  readonly find: (evidence: Evidence) => string | undefined
  readonly remedy: string
  readonly isTrouble: boolean
}

const outside = ({ answers }: Evidence, family: Family): readonly SourceAnswer[] =>
  answers.filter(({ source, family: of }) => source.vantage === 'outside' && of === family)
const isSeen = ({ sighting }: SourceAnswer): boolean => sighting.kind === 'seen'

/** The outside services that need no name are silent too: the line is down, and no name server is to blame. */
const isCut = ({ names, answers }: Pick<Evidence, 'names' | 'answers'>): boolean => {
  const byAddress = answers.filter(
    ({ source }) => source.vantage === 'outside' && !names.some(({ host }) => source.name.includes(host)),
  )
  return byAddress.length > 0 && !byAddress.some(isSeen)
}

const failedIn = (names: Evidence['names']): readonly string[] =>
  names.filter(({ isFound }) => !isFound).map(({ host }) => host)

/** The addresses of this host's own interfaces. */
const ownAddresses = ({ answers }: Evidence, family: Family): readonly Address[] =>
  answers.flatMap(({ source, family: of, sighting }) =>
    source.vantage === 'own' && of === family && sighting.kind === 'seen' ? [sighting.address] : [],
  )

/** Clocks that are set correctly differ by less. */
const CLOCK_TOLERANCE = minutes(5)

/** One rule for each kind. */
const NAT_RULES: Readonly<Record<string, Rule>> = Object.fromEntries(
  (Object.keys(NATS) as NatKind[]).map((kind) => [
    kind,
    {
      find: ({ answers, agreed: { v4 } }) => {
        const nat =
          v4 &&
          natOf(
            answers.filter(({ family }) => family === 'v4'),
            v4,
          )
        return nat?.kind === kind ? formatNat(nat, v4) : undefined
      },
      remedy: NATS[kind].remedy,
      isTrouble: false,
    },
  ]),
)

const DIAGNOSES: Readonly<Record<string, Rule>> = {
  'no network': {
    find: ({ hasGateway, answers }) =>
      hasGateway || answers.some(isSeen) ? undefined : 'there is no default route, and no source answered',
    remedy: 'connect this host to a network; Holdfast continues by itself',
    isTrouble: true,
  },
  'captive portal': {
    // One service alone may have changed into a page; behind a portal no address is agreed on.
    find: ({ pages, agreed }) => {
      const page = pages.find(({ isPage, redirectsTo }) => isPage || redirectsTo !== undefined)
      if (page === undefined || agreed.v4 !== undefined || agreed.v6 !== undefined) return undefined
      return page.redirectsTo === undefined
        ? `${page.url} answers with a web page`
        : `${page.url} redirects to ${page.redirectsTo}`
    },
    remedy: 'open a browser on this network and sign in',
    isTrouble: true,
  },
  'DNS broken': {
    find: ({ names, answers, hasGateway }) => {
      const failed = failedIn(names)
      const isConnected = (hasGateway || answers.some(isSeen)) && !isCut({ names, answers })
      return failed.length > 0 && failed.length === names.length && isConnected
        ? `no name can be resolved: ${failed.slice(0, 3).join(', ')}`
        : undefined
    },
    remedy: 'check /etc/resolv.conf, or the DNS server that the router announces',
    isTrouble: true,
  },
  'name not found': {
    find: ({ names }) => {
      const failed = failedIn(names.filter(({ isDefault }) => isDefault !== true))
      return failed.length > 0 && names.some(({ isFound }) => isFound)
        ? `${failed.join(', ')} cannot be resolved, but other names can`
        : undefined
    },
    remedy: 'check the spelling of this name in the configuration',
    isTrouble: true,
  },
  'IPv6 broken': {
    find: (evidence) => {
      const [own] = ownAddresses(evidence, 'v6')
      const asked = outside(evidence, 'v6')
      const isUnanswered = asked.length > 0 && !asked.some(isSeen)
      return own !== undefined && isUnanswered && outside(evidence, 'v4').some(isSeen)
        ? `this host has ${own}, but no outside source answers over IPv6`
        : undefined
    },
    remedy: 'check IPv6 at the router or the provider; until then, set ipv6 = false to publish only IPv4',
    isTrouble: true,
  },
  'another line': {
    find: ({ elsewhere, answers, agreed: { v4 } }) => {
      if (elsewhere === undefined) return undefined
      const isOfLine = answers.some(
        ({ source, sighting }) =>
          source.vantage !== 'outside' && sighting.kind === 'seen' && sighting.address === v4,
      )
      const seen = isOfLine ? `this line has ${v4}` : `outside services see ${v4}`
      const known = v4 === undefined ? 'the address of this line cannot be confirmed' : seen
      return `traffic to the internet leaves through ${elsewhere}, not by the line whose address is published; ${known}`
    },
    remedy:
      'its address is not published. To use only one line, bind the hostname to its interface; ' +
      'to publish the line in use, set follow = "default-route", or allow_vpn = true for a VPN',
    isTrouble: false,
  },
  ...NAT_RULES,
  'another router': {
    find: ({ isBehindSecond, agreed: { v4 } }) =>
      isBehindSecond === true
        ? `a router beyond the first one answers at ${v4}: your own router is behind it (double NAT), or this is a container`
        : undefined,
    remedy: NATS['CGNAT or double NAT'].remedy,
    isTrouble: false,
  },
  'clock wrong': {
    find: ({ clockAhead, isBeforeRelease }) => {
      if (clockAhead !== undefined && Math.abs(clockAhead) > CLOCK_TOLERANCE) {
        const span = milliseconds(Math.round(Math.abs(clockAhead) / minutes(1)) * minutes(1))
        return `this host's clock is ${formatDuration(span)} ${clockAhead > 0 ? 'ahead' : 'behind'}`
      }
      return isBeforeRelease ? "this host's clock shows a time before the release of this program" : undefined
    },
    remedy:
      'set the clock and synchronize it (timedatectl set-ntp true); with a wrong clock, certificates are refused',
    isTrouble: true,
  },
  'no answer': {
    find: ({ answers, hasGateway, pages }) => {
      const asked = answers.filter(({ source }) => source.vantage === 'outside')
      return hasGateway && asked.length > 0 && !asked.some(isSeen) && !pages.some(({ isPage }) => isPage)
        ? `none of ${asked.length} queries to outside services was answered with an address`
        : undefined
    },
    remedy: 'check the connection behind the router, and whether a firewall blocks outgoing queries',
    isTrouble: true,
  },
  'source disagrees': {
    find: ({ answers, agreed }) => {
      for (const { source, family, sighting } of answers)
        if (
          source.vantage === 'outside' &&
          family === 'v4' &&
          sighting.kind === 'seen' &&
          agreed.v4 !== undefined &&
          sighting.address !== agreed.v4
        )
          return `${source.name} reports ${sighting.address}, but other sources agree on ${agreed.v4}`
      return undefined
    },
    remedy: 'remove this source from sources; it is ignored anyway',
    isTrouble: false,
  },
}

/** The problems of this network, each with its evidence and a remedy. */
export const diagnose = (evidence: Evidence): readonly Diagnosis[] =>
  Object.entries(DIAGNOSES).flatMap(([name, { find, remedy, isTrouble }]) => {
    const found = find(evidence)
    return found === undefined ? [] : [{ name, evidence: found, remedy, isTrouble }]
  })

export const formatDiagnoses = (diagnoses: readonly Diagnosis[]): readonly string[] =>
  diagnoses.length === 0
    ? ['Holdfast found no problem']
    : diagnoses.flatMap(({ name, evidence, remedy }) => [
        name,
        `  evidence: ${evidence}`,
        `  what to do: ${remedy}`,
      ])
