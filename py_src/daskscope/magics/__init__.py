"""`%%perfreport` and `%perfreport`: reports of what cells do on a Dask cluster."""
