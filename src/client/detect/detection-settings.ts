import type { Address, Addresses, Family } from '../../shared/base/address.ts'
import type { Prefix } from '../../shared/base/prefix.ts'
import type { RangeClass } from '../../shared/base/special.ts'
import type { LineSpec } from './line/line-spec.ts'
import type { Ipv6Policy } from './sources/interface.ts'
import type { SourceSpec } from './sources/spec.ts'

/** The settings of one hostname that say where its address comes from. */
export interface HostDetection {
  /** In their order: the first that is up is published. */
  readonly interface: readonly LineSpec[] | undefined
  readonly ipv6Interface: string | undefined
  readonly from: Address | undefined
  readonly suffix: Prefix | undefined
  readonly mac: Address | undefined
  readonly prefixLength: number
}

/** The settings of an account that say where its address comes from. */
export interface AccountDetection {
  readonly server: string
  /** Configured addresses, or the address of the connection. */
  readonly myip: Addresses | 'connection' | undefined
  /** For the hostnames without one of their own. */
  readonly interface: readonly LineSpec[] | undefined
}

/** The part of the client's settings that detection reads. */
export interface DetectionSettings {
  readonly config: {
    readonly families: readonly Family[]
    readonly sources: readonly SourceSpec[] | undefined
    readonly agreement: 'two' | 'one'
    readonly allowVpn: boolean
    readonly follow: 'home' | 'default-route'
    readonly thirdParties: boolean
    readonly allow: readonly RangeClass[]
    readonly command: readonly string[] | undefined
    readonly ipv6Choice: Ipv6Policy['kind']
    readonly ipv6Prefix: Prefix | undefined
    readonly ipv6Suffix: Prefix | undefined
    readonly watch: boolean
    readonly ping: boolean
  }
  readonly accounts: readonly AccountDetection[]
}
