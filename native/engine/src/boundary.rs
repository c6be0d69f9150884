//! Writes the boundary to the control plane in TypeScript, from the types of this crate. The words of enums go into the contract,
//! because every process says them; the shapes and the event record go to the service, which alone speaks to the engine.

use sotto_typescript::{Module, camel_case};

use crate::attribution::Attribution;
use crate::cache::flush::Filter;
use crate::config::{EngineConfig, Rung, Strategy};
use crate::events::event::{AUTHENTIC, LAYOUT, NO_EXTENDED_ERROR, NUMBERS, Number, TEXTS};
use crate::outcome::{ClearClass, ClientProtocol, Cost, Outcome, TransportKind};
use crate::upstream::transport::list;

/// Writes the words of each enum: the name of the list, and that of one of them.
macro_rules! all_words {
    ($module:ident: $($list:literal $one:literal = $words:path;)+) => {
        $($module.words($list, $one, <$words>::WORDS);)+
    };
}

macro_rules! all_shapes {
    ($module:ident: $($shape:ty),+ $(,)?) => {
        $($module.shape::<$shape>();)+
    };
}

#[test]
fn the_words_are_the_contracts() {
    let mut module =
        Module::new("The words that the engine shares with everybody, and what is known of its transports.");
    all_words! { module:
        "outcomes" "Outcome" = Outcome;
        "costs" "Cost" = Cost;
        "transports" "TransportKind" = TransportKind;
        "clientProtocols" "ClientProtocol" = ClientProtocol;
        "attributions" "Attribution" = Attribution;
        "standings" "Standing" = crate::audit::report::Standing;
        "clearClasses" "ClearClass" = ClearClass;
        "keyUses" "KeyUse" = crate::config::Keys;
        "keyExchanges" "PostQuantum" = crate::post_quantum::PostQuantum;
        "strategies" "Strategy" = Strategy;
        "rungNames" "Rung" = Rung;
        "upstreamStates" "UpstreamState" = crate::upstream::condition::State;
        "limitTellers" "LimitBy" = crate::upstream::condition::LimitBy;
        "rests" "Rest" = crate::upstream::condition::Rest;
        "octetCounters" "Counter" = crate::upstream::connection::carried::Counter;
        "downgradeSigns" "DowngradeSign" = crate::upstream::memory::downgrade_evidence::What;
        "fastOpens" "FastOpen" = crate::upstream::dial::fast_open::FastOpen;
        "probeSteps" "StepKind" = crate::probe::report::StepKind;
        "orders" "Together" = crate::probe::examination::Together;
        "destinations" "Destination" = crate::decision::Destination;
        "fates" "Fate" = crate::decision::Fate;
        "keptKinds" "Kept" = crate::explain::Kept;
        "fits" "Fit" = crate::policy::conditions::Fit;
        "conditionals" "Conditional" = crate::policy::conditions::Conditional;
    }
    let rows: String = list::all()
        .iter()
        .map(|one| {
            format!(
                "  {}: {{ isPrivate: {}, hasTls: {}, port: {} }},\n",
                one.kind.word(),
                one.kind.is_private(),
                one.unauthenticated.is_some(),
                one.port
            )
        })
        .collect();
    let kinds: Vec<_> = list::all().iter().map(|one| one.kind.word()).collect();
    module.words("upstreamTransports", "UpstreamTransport", &kinds);
    module.raw(&format!(
        "/** `isPrivate`: names leave it inside TLS only, authenticated except on the rung `unauthenticated`, or in boxes that one server opens. `port`: where servers listen. */\nexport const transportFacts: \
         Record<UpstreamTransport, {{ isPrivate: boolean; hasTls: boolean; port: number }}> = {{\n{rows}}};"
    ));
    module.must_be("app/contract/engine-words.ts");
}

#[test]
fn the_shapes_are_the_services() {
    let mut module = Module::new(
        "What the engine is given and what it tells: configuration, status, reports and event records.",
    );
    module.raw(&imported_words());
    module.raw("/** A `T`, as JSON text. */\nexport type Json<T> = string & { readonly of?: T };");
    all_shapes! { module:
        EngineConfig, crate::config::Mode, crate::config::UpstreamConfig, crate::client_identity::IdentityConfig, crate::config::SignalWord, crate::config::EncDnsConfig, crate::config::GroupConfig,
        crate::config::BypassConfig, crate::rule_list::ListConfig, crate::config::CacheConfig, crate::config::PortalConfig, crate::config::ConnectionsConfig,
        crate::config::LeaseConfig, crate::when::WhenConfig, crate::config::ConfigError, crate::config::Alternative, crate::config::DomainName,
        crate::endpoint::Endpoint,
        crate::upstream::memory::known::Known,
        crate::status::EngineStatus, crate::status::UpstreamStatus, crate::status::ClearStatus, crate::status::CacheStatus,
        crate::upstream::condition::Warmth, crate::upstream::condition::Spending, crate::upstream::connection::carried::Octets,
        crate::upstream::dial::protection::TlsFacts, crate::upstream::failure::LastError,
        crate::upstream::failure::dial_error::Tried, crate::upstream::memory::downgrade_evidence::Evidence,
        crate::upstream::selection::ladder::RungStatus, crate::own_probes::OwnProbesStatus, crate::events::courier::Delivery,
        crate::listen::slots::TurnedAway, crate::listen::keeping::BrokenListener, crate::listen::accepting::AcceptFailures,
        Filter, crate::cache::show::Shown, crate::explain::Explanation, crate::explain::Judged, crate::explain::SupposedAsker,
        crate::decision::Decision, crate::supposition::SupposedQueries, crate::supposition::SupposedQuery,
        crate::supposition::Simulated, crate::supposition::Pair,
        crate::side_by_side::ResponseOfOne,
        crate::probe::ProbeRequest, crate::probe::report::ProbeReport, crate::probe::report::ProbeError, crate::probe::report::Step,
        crate::probe::examination::Examination, crate::probe::examination::Padding, crate::probe::examination::Dnssec,
        crate::probe::resolver_info::ResolverInfo, crate::upstream::dial::certificate::Certificate,
        crate::describe::Description, crate::describe::QuestionText, crate::describe::RecordText, crate::describe::EdnsText,
        crate::describe::ExtendedErrorText, crate::audit::report::AuditReport, crate::audit::report::AuditSeen,
        crate::audit::report::AuditProgram, crate::audit::report::AuditAddress,
    }
    module.raw(&event_record());
    module.must_be("app/service/engine/boundary.ts");
}

/// Only the enums of an event record need their lists; for the others the type is enough.
fn imported_words() -> String {
    let types = [
        "Attribution",
        "ClearClass",
        "ClientProtocol",
        "Conditional",
        "Cost",
        "Counter",
        "Destination",
        "DowngradeSign",
        "FastOpen",
        "Fate",
        "Fit",
        "Kept",
        "KeyUse",
        "LimitBy",
        "Outcome",
        "PostQuantum",
        "Rest",
        "Rung",
        "Standing",
        "StepKind",
        "Strategy",
        "Together",
        "UpstreamState",
        "UpstreamTransport",
    ];
    let types: String = types.iter().map(|one| format!("  type {one},\n")).collect();
    format!(
        "import {{\n  attributions,\n  clearClasses,\n  clientProtocols,\n  costs,\n  outcomes,\n  transports,\n{types}}} from '../../contract/engine-words.ts';"
    )
}

fn list_of(words: &str) -> &'static str {
    match words {
        "Outcome" => "outcomes",
        "Cost" => "costs",
        "TransportKind" => "transports",
        "ClientProtocol" => "clientProtocols",
        "Attribution" => "attributions",
        "ClearClass" => "clearClasses",
        other => panic!("the words of {other} have no list"),
    }
}

/// Length and version stand before the numbers.
const HEAD: usize = 3;

fn event_record() -> String {
    let offsets = NUMBERS.iter().scan(HEAD, |next, number| {
        let offset = *next;
        *next += number.octets;
        Some(offset)
    });
    let offsets: Vec<usize> = offsets.collect();
    let end: usize = HEAD + NUMBERS.iter().map(|number| number.octets).sum::<usize>();
    let fields: String = NUMBERS
        .iter()
        .map(|Number { name, meaning, .. }| match meaning.trim() {
            "" => format!("  {}: number;\n", camel_case(name)),
            said => format!("  /** {said} */\n  {}: number;\n", camel_case(name)),
        })
        .collect();
    let texts: String = TEXTS.iter().map(|name| format!("  {}: string;\n", camel_case(name))).collect();
    let lists: String = NUMBERS
        .iter()
        .filter(|number| !number.words.is_empty())
        .map(|number| format!("  {}: {},\n", camel_case(number.name), list_of(number.words)))
        .collect();
    let layout: String = NUMBERS
        .iter()
        .zip(&offsets)
        .map(|(number, at)| {
            format!("  {}: {{ at: {at}, octets: {} }},\n", camel_case(number.name), number.octets)
        })
        .collect();
    let reads: String = NUMBERS
        .iter()
        .zip(&offsets)
        .map(|(number, at)| format!("    {}: {},\n", camel_case(number.name), read(number, *at)))
        .collect();
    let column = |name: &str, kind: &str| {
        format!(
            "  {}: {{ column: '{}', type: '{kind}' }},\n",
            camel_case(name),
            name.trim_start_matches("r#")
        )
    };
    let columns: String = NUMBERS
        .iter()
        .map(|number| column(number.name, "INTEGER"))
        .chain(TEXTS.iter().map(|name| column(name, "TEXT")))
        .collect();
    let names: Vec<String> = TEXTS.iter().map(|name| format!("'{}'", camel_case(name))).collect();
    format!(
        "/** The numbers of an event record; enumerations are positions in `recordWords`. */\n\
         export interface EventNumbers {{\n{fields}}}\n\n\
         /** An event record: how one query ended, and what it cost. */\n\
         export interface EventRecord extends EventNumbers {{\n  /** presentation form, lower case, ASCII with `\\DDD` escapes */\n  name: string;\n{texts}}}\n\n\
         export const recordLayout = {LAYOUT};\n\
         export const noExtendedError = {NO_EXTENDED_ERROR};\n\
         export const authenticDataFlag = {AUTHENTIC};\n\
         /** Octets before the name. */\n\
         export const numbersEnd = {end};\n\
         /** The texts after the name, in their order. */\n\
         export const recordTexts = [{}] as const;\n\n\
         export const recordWords = {{\n{lists}}} as const;\n\n\
         /** Where each number stands, counted from the record's first octet. */\n\
         export const recordNumbers = {{\n{layout}}} as const;\n\n\
         export function readNumbers(view: DataView, start: number): EventNumbers {{\n  return {{\n{reads}  }};\n}}\n\n\
         /** Beyond 2^53 it loses digits: the reader refuses such a record. */\n\
         function unsigned64(view: DataView, at: number): number {{\n  return view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true);\n}}\n\n\
         /** The query log's column of each field; the name is in a table of its own. */\n\
         export const recordColumns = {{\n{columns}}} as const;",
        names.join(", "),
    )
}

fn read(number: &Number, at: usize) -> String {
    match number.octets {
        1 => format!("view.getUint8(start + {at})"),
        2 => format!("view.getUint16(start + {at}, true)"),
        4 => format!("view.getUint32(start + {at}, true)"),
        _ => format!("unsigned64(view, start + {at})"),
    }
}
