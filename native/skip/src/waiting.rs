//! How long a test waits: until something happens, and for ever on no machine.

use std::time::Duration;

use tokio::time::{sleep, timeout};

/// Reached only if something hangs. A slow machine takes a part of it.
pub const LIMIT: Duration = Duration::from_secs(60);
/// Between two looks at what cannot be waited for.
const PAUSE: Duration = Duration::from_millis(5);

/// The result of what ends by itself; `what` is told where it does not.
pub async fn within<T>(what: &str, ends: impl Future<Output = T>) -> T {
    timeout(LIMIT, ends).await.unwrap_or_else(|_| panic!("it hangs: {what}"))
}

/// Looks until it is so.
pub async fn until(what: &str, is_so: impl Fn() -> bool) {
    until_found(what, async || is_so().then_some(())).await;
}

/// Looks until there is something.
pub async fn until_found<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            sleep(PAUSE).await;
        }
    };
    within(what, looking).await
}
