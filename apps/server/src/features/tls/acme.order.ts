import type { Authorization, Order } from 'acme-client'
import type { AcmeConfig } from '../../config.acme.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Certificate, certificateOf } from '../../platform/tls/certificate.ts'
import { AcmeRefusal, refusalOf } from './acme.faults.ts'
import { type AcmeClient, acmeLibrary, type AcmeLibrary, clientOf } from './acme.library.ts'
import {
  type AcmeCertificateRow,
  findAccount,
  keepAccount,
  keepChallenge,
  updateAccount,
  updateCertificate,
} from './acme.store.ts'

export interface OrderDependencies {
  database: Database
  vault: Vault
  clock: Clock
  acme: AcmeConfig
}

/** Each ties a key to its place. */
export const accountContext = (directory: string) => `key of the ACME account at ${directory}`
export const certificateContext = (name: string) => `key of the certificate of ${name}`
export const orderContext = (name: string) => `key of the order of ${name}`

/**
 * Gets a certificate for one name. An order that was interrupted goes on where it was, so a crash costs no second one.
 * @throws AcmeRefusal
 */
export async function orderCertificate(deps: OrderDependencies, row: AcmeCertificateRow): Promise<Certificate> {
  const library = await acmeLibrary(deps.acme)
  try {
    return await carryOut(deps, library, row)
  } catch (error) {
    if (!(error instanceof AcmeRefusal) || error.type !== 'accountDoesNotExist') throw error
    // The server was installed anew, as one of a company may be.
    await deps.database.transact((tx) => updateAccount(tx, deps.acme.directory, { url: null }))
    return carryOut(deps, library, { ...row, order_url: null, order_key_sealed: null })
  }
}

async function carryOut(deps: OrderDependencies, library: AcmeLibrary, row: AcmeCertificateRow): Promise<Certificate> {
  const client = await accountOf(deps, library)
  const { order, key } = await begun(deps, { library, client, row })
  try {
    if (order.status === 'pending')
      for (const one of await client.getAuthorizations(order)) await prove(deps, client, one, row.name)
    if (order.status === 'pending' || order.status === 'ready') {
      const [, request] = await library.crypto.createCsr({ altNames: [row.name] }, key)
      await client.finalizeOrder(order, request)
    }
    return certificateOf(await client.getCertificate(await client.waitForValidStatus(order)), key)
  } catch (error) {
    // The library keeps no more than the text of a refusal; its kind stands in the order.
    throw error instanceof AcmeRefusal ? error : ((await refusalIn(client, order)) ?? error)
  }
}

/** The account is in the database before the server hears of it, so a crash leaves none behind that nobody knows. */
async function accountOf({ database, vault, clock, acme }: OrderDependencies, library: AcmeLibrary) {
  const { directory, email } = acme
  const context = accountContext(directory)
  if (!(await findAccount(database.read, directory))) {
    const key = (await library.crypto.createPrivateEcdsaKey()).toString()
    const [key_sealed, created_at] = [vault.seal(key, context), clock.now()]
    await database.transact((tx) =>
      keepAccount(tx, { directory, email, key_sealed, url: null, paused_until: 0, created_at }),
    )
  }
  const row = (await findAccount(database.read, directory))!
  const client = clientOf(library, acme, { key: vault.open(row.key_sealed, context), url: row.url })
  const contact = [`mailto:${email}`]
  if (row.url === null) {
    await client.createAccount({ termsOfServiceAgreed: true, contact })
    await database.transact((tx) => updateAccount(tx, directory, { url: client.getAccountUrl(), email }))
  } else if (row.email !== email) {
    await client.updateAccount({ contact })
    await database.transact((tx) => updateAccount(tx, directory, { email }))
  }
  return client
}

interface Underway {
  library: AcmeLibrary
  client: AcmeClient
  row: AcmeCertificateRow
}

/** The order that was interrupted, or a new one. Its key is recorded first: the server signs for that key alone. */
async function begun({ database, vault }: OrderDependencies, { library, client, row }: Underway) {
  const { name } = row
  if (row.order_url !== null && row.order_key_sealed !== null) {
    const order = await client.getOrder({ url: row.order_url } as Order).catch((error: unknown) => {
      // The server forgets old orders.
      if (error instanceof AcmeRefusal && error.type !== 'unreachable') return undefined
      throw error
    })
    if (order && order.status !== 'invalid') return { order, key: vault.open(row.order_key_sealed, orderContext(name)) }
  }
  const key = (await library.crypto.createPrivateEcdsaKey()).toString()
  const order = await client.createOrder({ identifiers: [{ type: 'dns', value: name }] })
  const order_key_sealed = vault.seal(key, orderContext(name))
  await database.transact((tx) => updateCertificate(tx, name, { order_url: order.url, order_key_sealed }))
  return { order, key }
}

/** Proves that the name leads to this platform. */
async function prove(
  { database, clock }: OrderDependencies,
  client: AcmeClient,
  authorization: Authorization,
  name: string,
): Promise<void> {
  if (authorization.status === 'valid') return
  const challenge = authorization.challenges.find(({ type }) => type === 'http-01')
  if (!challenge) throw new AcmeRefusal('unsupported', 'It offers no challenge of the kind http-01.')
  const answer = await client.getChallengeKeyAuthorization(challenge)
  await database.transact((tx) => keepChallenge(tx, { token: challenge.token, name, answer, created_at: clock.now() }))
  if (challenge.status === 'pending') await client.completeChallenge(challenge)
  await client.waitForValidStatus(authorization)
}

/** Why the server refused an order, or the proof of its name; undefined when it says nothing. */
async function refusalIn(client: AcmeClient, order: Order): Promise<AcmeRefusal | undefined> {
  const { error } = await client.getOrder(order)
  const challenges = (await client.getAuthorizations(order)).flatMap((one) => one.challenges)
  const problem = challenges.find((one) => one.error)?.error ?? error
  return problem === undefined ? undefined : refusalOf(problem, 403)
}
