import { type Kysely, sql } from 'kysely'

/**
 * Subscriptions of teams at a payment provider, and what is exchanged with it. `subscriptions` has no reference to teams:
 * the subscription of a deleted team is still to be cancelled at the provider.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table subscriptions (
    team_id text primary key,
    status text not null,
    customer_id text,
    subscription_id text,
    trial_ends_at bigint,
    trial_type_id text,
    trial_length bigint,
    trial_warned integer,
    trial_over integer not null default 0,
    quantities text not null default '{}',
    difference text,
    fault text,
    attempts integer not null default 0,
    due_at bigint not null default 0,
    created_at bigint not null,
    updated_at bigint not null
  )`.execute(db)
  await sql`create index subscriptions_due on subscriptions (due_at)`.execute(db)
  await sql`create table billing_checkouts (
    id text primary key,
    team_id text not null,
    user_id text not null,
    url text not null,
    credit integer not null,
    credit_given integer not null default 0,
    state text not null,
    created_at bigint not null
  )`.execute(db)
  await sql`create index billing_checkouts_team on billing_checkouts (team_id, state)`.execute(db)
  await sql`create index billing_checkouts_user on billing_checkouts (user_id)`.execute(db)
  await sql`create table billing_events (
    id text primary key,
    team_id text not null,
    type text not null,
    checkout_id text,
    subscription_id text,
    happened_at bigint not null,
    received_at bigint not null,
    handled_at bigint
  )`.execute(db)
  await sql`create index billing_events_open on billing_events (team_id) where handled_at is null`.execute(db)
  await sql`create index billing_events_received on billing_events (received_at)`.execute(db)
  await sql`create table billing_changes (
    id text primary key,
    team_id text not null,
    subscription_id text not null,
    product_id text not null,
    quantity integer not null,
    created_at bigint not null,
    sent_at bigint
  )`.execute(db)
  await sql`create index billing_changes_open on billing_changes (team_id) where sent_at is null`.execute(db)
  await sql`create table billing_suspensions (
    instance_id text primary key references instances (id) on delete cascade,
    team_id text not null,
    created_at bigint not null
  )`.execute(db)
  await sql`create index billing_suspensions_team on billing_suspensions (team_id)`.execute(db)
}
