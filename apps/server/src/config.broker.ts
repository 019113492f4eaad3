import type { Switches } from '@app/contract/switches'
import * as z from 'zod'
import { isProxyList, proxyList } from './config.proxy.ts'
import { always, optionally } from './config.setting.ts'
import { isBrokerUrl, wholeNumber } from './config.values.ts'

/** The form of a broker's address, for people. */
const brokerAddress = 'an mqtt://, mqtts://, ws:// or wss:// address without a user name'

/** Absent where nothing that is switched on needs a broker. */
export interface BrokerConfig {
  /** For plain TCP. */
  port?: number
  /** A broker of the operator's, and its address for devices. */
  url?: string
  publicUrl?: string
  /** The password of the platform itself. */
  password?: string
  hooksFrom: readonly string[]
  /** This server writes clients and roles into the dynamic security of the operator's Mosquitto. Absent: the broker asks. */
  auth?: 'mosquitto'
  /** The program of the embedded broker; no setting, for tests. */
  entry?: string
}

/** Settings of the broker, embedded or external. */
export const brokerSettings = {
  FORGE_BROKER_PORT: optionally(wholeNumber(1, 65_535), {
    about:
      'Port of the embedded MQTT broker for plain TCP, at FORGE_HOST. Without it only WebSockets at /mqtt of the console are accepted. Put a proxy with TLS in front of it.',
    expected: 'a whole number from 1 to 65535',
    example: '1883',
  }),
  FORGE_BROKER_URL: optionally(z.string().refine(isBrokerUrl), {
    about:
      'External MQTT broker to use instead of the embedded one. FORGE_BROKER_AUTH says how it learns who may connect. Needs FORGE_BROKER_PASSWORD.',
    expected: brokerAddress,
    example: 'mqtts://mqtt.example.com:8883',
  }),
  FORGE_BROKER_PUBLIC_URL: optionally(z.string().refine(isBrokerUrl), {
    about: 'Address of the external broker for devices, if it differs from FORGE_BROKER_URL.',
    expected: brokerAddress,
    fallback: 'FORGE_BROKER_URL',
    example: 'wss://mqtt.example.com/mqtt',
  }),
  FORGE_BROKER_PASSWORD: optionally(z.string().min(16).max(512), {
    about: 'Password of the user forge_platform, as which this server connects to the external broker.',
    expected: 'a text of 16 to 512 characters',
    example: '<output of openssl rand -hex 24>',
    secret: true,
    file: true,
  }),
  FORGE_BROKER_AUTH: always(z.enum(['http', 'mosquitto']), {
    about:
      'How the external broker learns who may connect, and to which topics. `http`: it asks this server, by POST to /api/comms/auth/client and /api/comms/auth/acl. `mosquitto`: this server writes clients and roles into the dynamic security plugin of Mosquitto 2, whose administrator is forge_platform.',
    expected: 'one of http and mosquitto',
    fallback: 'http',
    example: 'mosquitto',
  }),
  FORGE_BROKER_HOOKS_FROM: always(z.string().refine(isProxyList).transform(proxyList), {
    about:
      'Addresses of external brokers that may call /api/comms/auth, with FORGE_BROKER_AUTH=http. Everybody else gets 401.',
    expected: 'false, or addresses and networks such as 10.0.0.7, 10.0.1.0/24 or loopback, with commas between them',
    fallback: 'loopback',
    example: '10.0.0.7',
  }),
}

interface Values {
  FORGE_FEATURES_OFF: Switches
  FORGE_BROKER_HOOKS_FROM: readonly string[]
  FORGE_BROKER_AUTH: 'http' | 'mosquitto'
  FORGE_BROKER_PORT?: number | undefined
  FORGE_BROKER_URL?: string | undefined
  FORGE_BROKER_PUBLIC_URL?: string | undefined
  FORGE_BROKER_PASSWORD?: string | undefined
}

/** The broker, unless nothing that is switched on needs one. */
export function brokerOf(values: Values): { broker?: BrokerConfig } {
  const { devices, projectComms } = values.FORGE_FEATURES_OFF
  if (!devices && !projectComms) return {}
  return {
    broker: {
      hooksFrom: values.FORGE_BROKER_HOOKS_FROM,
      ...(values.FORGE_BROKER_PORT && { port: values.FORGE_BROKER_PORT }),
      ...(values.FORGE_BROKER_URL && { url: values.FORGE_BROKER_URL }),
      ...(values.FORGE_BROKER_PUBLIC_URL && { publicUrl: values.FORGE_BROKER_PUBLIC_URL }),
      ...(values.FORGE_BROKER_URL && values.FORGE_BROKER_AUTH === 'mosquitto' && { auth: 'mosquitto' as const }),
      ...(values.FORGE_BROKER_PASSWORD && { password: values.FORGE_BROKER_PASSWORD }),
    },
  }
}

export function brokerProblems(values: Values, expected = ''): string[] {
  const { FORGE_BROKER_URL: url, FORGE_BROKER_PASSWORD: password, FORGE_BROKER_AUTH: auth } = values
  if (url && !password)
    return [`FORGE_BROKER_PASSWORD is not set; it must be ${expected}, because FORGE_BROKER_URL names a broker.`]
  if (!url && auth !== 'http')
    return ['FORGE_BROKER_URL is not set; FORGE_BROKER_AUTH is about the broker that it names.']
  return []
}
